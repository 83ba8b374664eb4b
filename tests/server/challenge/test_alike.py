import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from hosted import Hosted, as_lines

from snellen import sdk
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.workers import Worker
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.host import open_challenge, open_exam
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Access
from snellen.server.http.api.api import rest_app
from snellen.server.http.auth import Tokens
from snellen.server.settings import Settings
from snellen.server.store.tables.exams import Scope
from snellen.tasks.pack.write import Part, write_pack

ITEMS = 60


@dataclass
class Door:
    """An exam of sixty questions, and the pairs that its organizer sees."""

    hosted: Hosted
    http: httpx2.AsyncClient
    tokens: Tokens

    async def grade(self, answers: Mapping[str, Mapping[str, str] | str]) -> None:
        """Upload the answers of some participants and grade them."""
        for caller, given in answers.items():
            await self.hosted.upload(caller, given)
            self.hosted.time[0] += 1
        worker = Worker(self.hosted.challenge, self.hosted.settings)
        try:
            while await asyncio.to_thread(worker.step):
                pass
        finally:
            worker.close()

    async def pairs(self, scope: Scope = Scope.ORGANIZE) -> httpx2.Response:
        """Ask for the pairs that look alike."""
        token = self.tokens.create(f"a-{scope}", [scope])
        headers = {"Authorization": f"Bearer {token}"}
        return await self.http.get("/exams/sixty/phases/main/alike", headers=headers)


Opening = Callable[[], AbstractAsyncContextManager[Door]]


@pytest.fixture
def sixty(either_store: str, tmp_path: Path) -> Opening:
    """Return a function that opens an exam of sixty questions."""
    home = tmp_path / "data"
    (home / "short_answers").mkdir(parents=True)
    (home / "answers_and_bboxes").mkdir()
    rows = [
        {"image_id": number, "question": "?", "ground_truth": [f"right{number}"]}
        for number in range(ITEMS)
    ]
    (home / "short_answers" / "test.json").write_text(json.dumps(rows))
    pack = tmp_path / "pack"
    write_pack([Part(sdk.load("screenqa/short", home))], pack, name="sixty", images=False)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Door]:
        file = ExamFile(name="sixty", packs=(str(pack),), phases=(Phase(name="main"),))
        settings = Settings((pack,), either_store, file=file)
        host = open_exam(settings)
        challenge = open_challenge(settings, host)
        await challenge.begin()
        tokens = Tokens(host.database)
        context = Actions(challenge, Boards(challenge), Access(tokens, guarded=True))
        transport = httpx2.ASGITransport(rest_app(context))
        try:
            async with httpx2.AsyncClient(transport=transport, base_url="http://a") as http:
                hosted = Hosted(settings, host, challenge, [challenge.now()])
                yield Door(hosted, http, tokens)
        finally:
            host.close()

    return opened


def answers(wrong: Callable[[int], str], right: int = 10) -> dict[str, str]:
    """Return answers of which the first are right."""
    return {
        f"test/{number}/0": f"right{number}" if number < right else wrong(number)
        for number in range(ITEMS)
    }


@pytest.mark.slow
async def test_a_copy_with_a_few_changes_is_named_and_ordinary_models_are_not(
    sixty: Opening,
) -> None:
    async with sixty() as here:
        await here.grade(
            {
                "ada": answers(lambda number: f"Wrong {number}"),
                # Other right answers, four other wrong ones, another spelling.
                "copy": answers(lambda n: f"other {n}" if n > 55 else f"wrong  {n}", right=15),
                # Two models that agree on six of ten wrong answers.
                "bea": answers(lambda n: f"near {n}" if n % 10 < 6 else f"bea {n}"),
                "cid": answers(lambda n: f"near {n}" if n % 10 < 6 else f"cid {n}"),
                # Two that mostly say the same, whatever the question.
                "dan": answers(lambda n: "no answer" if n % 20 else f"dan {n}"),
                "eve": answers(lambda n: "no answer" if n % 20 else f"eve {n}"),
                # Too few wrong answers to tell.
                "fay": answers(lambda n: f"few {n}", right=45),
                "gus": answers(lambda n: f"few {n}", right=46),
            }
        )
        (pair,) = (await here.pairs()).json()["pairs"]
        assert {pair["one"]["participant"], pair["other"]["participant"]} == {"ada", "copy"}
        assert (pair["wrong"], pair["same"], pair["same_file"]) == (45, 41, False)
        assert (await here.pairs(Scope.SUBMIT)).status_code == 403


@pytest.mark.slow
async def test_the_same_file_of_two_participants_is_named_once_and_not_what_was_removed(
    sixty: Opening,
) -> None:
    async with sixty() as here:
        few = as_lines(dict(list(answers(str).items())[:12]))
        await here.grade({"ada": few, "bob": few, "cy": few + "\n"})
        (pair,) = (await here.pairs()).json()["pairs"]
        assert (pair["one"]["participant"], pair["other"]["participant"]) == ("ada", "bob")
        assert (pair["same_file"], pair["wrong"]) == (True, 0)
        await here.hosted.submissions.remove(pair["other"]["submission"], "boss", "copied")
        admin = await here.pairs(Scope.ADMIN)
        assert admin.json() == {"pairs": []}
