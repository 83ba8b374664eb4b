"""A world of the tests' own: nine lamps, which a click switches; it may be told to fail."""

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from pydantic import JsonValue

from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.tasks.environments.base import NO_HISTORY, EpisodeError, History
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.survey import Node
from snellen.tasks.models import TaskData, World
from snellen.tasks.pack.write import Part, write_pack

SIDE = 20
SIZE = (3 * SIDE, 3 * SIDE)
OFF = "0" * 9


def middle(lamp: int) -> tuple[float, float]:
    """Return where a lamp is."""
    return (lamp % 3 + 0.5) * SIDE, (lamp // 3 + 0.5) * SIDE


class LampsEpisode:
    """Lamps that are on or off."""

    def __init__(self, world: "Lamps", lamps: str) -> None:
        self._world = world
        self.lamps = lamps
        self.closed = False

    async def act(self, given: Input) -> str:
        """Switch the lamp that is clicked."""
        await self._world.before_act()
        if given.kind is InputKind.CLICK:
            x, y = given.path[-1]
            lamp = int(y // SIDE) * 3 + int(x // SIDE)
            on = "1" if self.lamps[lamp] == "0" else "0"
            self.lamps = self.lamps[:lamp] + on + self.lamps[lamp + 1 :]
        return ""

    async def survey(self) -> Sequence[Node]:
        """Return nothing: lamps have no tree."""
        return ()

    async def view(self) -> bytes:
        """Draw them."""
        image = Image.new("L", (3, 3))
        image.putdata([255 * int(lamp) for lamp in self.lamps])
        out = io.BytesIO()
        image.resize(SIZE, Image.Resampling.NEAREST).save(out, "PNG")
        return out.getvalue()

    @property
    def ended(self) -> bool:
        """Whether all are on."""
        return self.lamps == "1" * 9

    @property
    def snapshot(self) -> JsonValue:
        """Which are on."""
        return self.lamps

    @property
    def result(self) -> dict[str, JsonValue]:
        """Which were switched."""
        lit: dict[str, JsonValue] = {
            f"lamp.{n}": ["0", "1"] for n, lamp in enumerate(self.lamps) if lamp == "1"
        }
        return {"changes": {"changed": lit, "added": {}, "removed": {}}}

    async def close(self) -> None:
        """Let go."""
        self.closed = True


class Lamps:
    """The environment.

    Attributes:
        faults: How many of the next acts fail.
        opened: The snapshots that episodes were opened with.
        running: The episodes that were opened.
    """

    name = "lamps"
    size = SIZE

    def __init__(self) -> None:
        self.faults = 0
        self.opened: list[JsonValue] = []
        self.running: list[LampsEpisode] = []

    async def open(self, world: JsonValue, history: History = NO_HISTORY) -> LampsEpisode:
        """Open an episode."""
        assert isinstance(world, str)
        start = history.snapshot if isinstance(history.snapshot, str) else world
        self.opened.append(history.snapshot)
        self.running.append(LampsEpisode(self, start))
        return self.running[-1]

    async def before_act(self) -> None:
        """Fail, if it was told to."""
        if self.faults:
            self.faults -= 1
            raise EpisodeError("the lamps exploded")

    async def close(self) -> None:
        """Let go."""


def lamps_data(golds: Sequence[OutcomeGold]) -> TaskData:
    """Return tasks that are judged as the desk's are."""
    ids = [f"lamps-{number}" for number in range(len(golds))]

    def item(index: int) -> Item:
        return Item(
            id=ids[index],
            task="desk/l3",
            prompt=f"Task {index}",
            answer_format=AnswerFormat(kind=AnswerKind.EPISODE, example='{"cost": 1}'),
        )

    return TaskData(
        task="desk/l3",
        split="all",
        ids=ids,
        golds=Golds(golds),
        pin=DataPin(release="unknown", sha256="0" * 64, count=len(ids), verdict=PinVerdict.UNKNOWN),
        contexts=[Context(limit=gold.limit) for gold in golds],
        build_item=item,
        worlds=[
            World(environment="lamps", start=OFF, limit=int(gold.limit or 1)) for gold in golds
        ],
    )


def lit(*lamps: int, limit: float = 5, answer: object = None) -> OutcomeGold:
    """Return what is right where these lamps are to be lit."""
    changed: dict[str, tuple[object, object]] = {f"lamp.{n}": ("0", "1") for n in lamps}
    return OutcomeGold(limit=limit, changes=Changes(changed=changed), answer=answer)


def write_lamps(folder: Path, golds: Sequence[OutcomeGold]) -> Path:
    """Write a pack of them."""
    write_pack([Part(lamps_data(golds))], folder, name="lamps")
    return folder
