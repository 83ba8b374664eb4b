"""The commands that open the server, up to where they serve."""

import asyncio
import json
import os
import stat
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner, Result

from snellen import sdk
from snellen.cli.app import app
from snellen.cli.host import serve, worker
from snellen.cli.places import default_store
from snellen.cli.serving import mcp, settings_of, shell_caller
from snellen.server.challenge import queries
from snellen.server.host import open_challenge, open_exam
from snellen.server.store.schema import open_store
from snellen.tasks.samples import DEFAULT, baselines, exam_folder, included_names


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "exam.sqlite")


def run(*arguments: str, **variables: str) -> Result:
    return CliRunner(env={"COLUMNS": "200", **variables}).invoke(app, arguments)


def test_a_token_is_printed_once_and_never_listed(store: str) -> None:
    made = run("token", "create", "alice", "--store", store)
    assert made.exit_code == 0
    token = made.stdout.strip()
    assert token.startswith("snellen_")
    assert "not shown again" in made.stderr
    listed = run("token", "list", "--store", store)
    assert listed.stdout.startswith("alice  submit,take  made ")
    assert token not in listed.stdout
    assert run("token", "revoke", "alice", "--store", store).exit_code == 0
    assert "revoked" in run("token", "list", "--store", store).stdout


def test_who_creates_and_revokes_tokens_in_a_shell_is_in_the_record(store: str) -> None:
    run("token", "create", "boss", "--scope", "admin", "--store", store)
    run("token", "create", "ada", "--team", "lab", "--store", store)
    assert run("token", "create", "ADA", "--store", store).exit_code == 2
    run("token", "revoke", "ada", "--store", store)
    assert run("token", "revoke", "eve", "--store", store).exit_code == 2
    database = open_store(store)
    try:
        events = database.read(lambda c: queries.LATEST_EVENTS.all(c, {}))
    finally:
        database.close()
    assert {row.caller for row in events} == {shell_caller()}
    assert shell_caller().startswith("shell:")
    assert [(row.what, row.why) for row in reversed(events)] == [
        ("token", "boss: admin"),
        ("token", "ada of lab: submit, take"),
        ("revoked", "ada"),
    ]


def test_the_first_token_of_a_store_says_what_it_changes(store: str) -> None:
    first = run("token", "create", "alice", "--store", store)
    assert "a running server requires tokens only after its next start" in first.stderr
    second = run("token", "create", "bob", "--store", store)
    assert "next start" not in second.stderr
    # One that was revoked was the first all the same: tokens are asked for ever since.
    for name in ("alice", "bob"):
        run("token", "revoke", name, "--store", store)
    assert "next start" not in run("token", "create", "carol", "--store", store).stderr


def test_a_token_goes_to_a_new_file_that_only_its_owner_can_read(
    store: str, tmp_path: Path
) -> None:
    file = tmp_path / "boss.token"
    mask = os.umask(0)
    try:
        made = run("token", "create", "boss", "--to", str(file), "--store", store)
    finally:
        os.umask(mask)
    assert (made.exit_code, made.stdout) == (0, f"the token is in {file}\n")
    token = file.read_text(encoding="utf-8").strip()
    assert token.startswith("snellen_")
    assert token not in made.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # Refused before the token is made: the name is free for the next try.
    again = run("token", "create", "ada", "--to", str(file), "--store", store)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "it exists already" in again.stderr
    assert file.read_text(encoding="utf-8").strip() == token
    assert "ada" not in run("token", "list", "--store", store).stdout


def test_a_token_that_is_refused_leaves_no_file(store: str, tmp_path: Path) -> None:
    file = tmp_path / "x.token"
    refused = run("token", "create", "a b", "--to", str(file), "--store", store)
    assert refused.exit_code == 2
    assert not file.exists()
    nowhere = run("token", "create", "ada", "--to", str(tmp_path / "no" / "x"), "--store", store)
    assert nowhere.exit_code == 2
    assert "can't be written" in nowhere.stderr


def test_a_token_can_have_both_scopes(store: str) -> None:
    options = ("--scope", "organize", "--scope", "take", "--store", store)
    assert run("token", "create", "boss", *options).exit_code == 0
    assert "organize,take" in run("token", "list", "--store", store).stdout


def test_a_token_takes_and_submits_and_gets_a_scope_later(store: str) -> None:
    assert run("token", "create", "bob", "--store", store).exit_code == 0
    added = run("token", "create", "bob", "--scope", "annotate", "--store", store)
    assert (added.exit_code, added.stdout) == (0, "")
    assert "bob's token has the scope annotate now; it is the same token" in added.stderr
    assert "annotate,submit,take" in run("token", "list", "--store", store).stdout
    again = run("token", "create", "bob", "--scope", "annotate", "--store", store)
    assert (again.exit_code, "bob has a token with this scope" in again.stderr) == (2, True)
    run("token", "revoke", "bob", "--store", store)
    revoked = run("token", "create", "bob", "--scope", "organize", "--store", store)
    assert revoked.exit_code == 2


def test_tokens_beside_an_exam_file_are_of_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("exam", "init").exit_code == 0
    made = run("token", "create", "bob")
    assert (made.exit_code, "the store is" in made.stderr) == (0, True)
    named = run("token", "create", "ann", "--exam", str(tmp_path / "exam.toml"))
    assert named.exit_code == 0
    listed = run("token", "list", "--store", str(tmp_path / "sample.sqlite")).stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["bob", "ann"]


def test_a_scope_that_is_none_is_refused(store: str) -> None:
    result = run("token", "create", "alice", "--scope", "tak", "--store", store)
    assert result.exit_code == 2
    assert (
        "unknown scope 'tak'; choose from: take, submit, annotate, organize, admin" in result.stderr
    )


def test_a_token_that_is_not_there_is_said_with_status_2(store: str) -> None:
    result = run("token", "revoke", "nobody", "--store", store)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no token 'nobody'" in result.stderr


@pytest.mark.parametrize("command", ["mcp", "serve"])
def test_what_is_no_pack_is_said_before_anything_is_served(
    command: str, store: str, tmp_path: Path
) -> None:
    result = run(command, str(tmp_path), "--store", store)
    assert result.exit_code == 2
    assert "it is not a pack: it has no manifest.json" in result.stderr
    assert not Path(store).exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mcp", "--env", "minwob"), "did you mean 'miniwob'"),
        (("serve", "--env", "minwob"), "did you mean 'miniwob'"),
        (("mcp", "--env", "miniwob", "--door", "tools"), "miniwob has no tools"),
        (("mcp", "--door", "tools"), "these packs have none"),
    ],
)
def test_what_can_not_be_acted_in_is_refused_before_its_tasks_are_made(
    words: tuple[str, ...], said: str, store: str, tmp_path: Path
) -> None:
    result = run(*words, "--store", store, SNELLEN_HOME=str(tmp_path / "home"))
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("command", ["mcp", "serve"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sample", "0"), "--sample: Input should be greater than 0"),
        (("--sample", "-1"), "--sample: Input should be greater than 0"),
    ],
)
def test_rules_that_can_not_be_are_refused(
    command: str, options: tuple[str, ...], said: str, store: str
) -> None:
    result = run(command, *options, "--store", store)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_corrupt_pack_is_said_when_a_server_is_started(store: str, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "manifest.json").write_text("{}")
    result = run("serve", str(pack), "--store", store)
    assert result.exit_code == 2
    assert "manifest.json" in result.stderr


def test_a_worker_has_no_rules_of_its_own() -> None:
    taken = {command.__name__: set(command.__annotations__) for command in (mcp, serve, worker)}
    assert taken["serve"] - taken["mcp"] == {"host", "port", "name", "workers"}
    assert taken["mcp"] - taken["serve"] == {"mode", "seed", "door", "format"}
    assert taken["worker"] - {"return"} == {"packs", "env", "store", "key", "count"}


def test_an_unknown_option_is_refused_as_before(store: str) -> None:
    result = run("serve", "--stoer", store)
    assert result.exit_code == 2
    assert "No such option: --stoer" in result.stderr


def test_a_worker_whose_sample_differs_from_its_servers_is_refused(
    store: str, tmp_path: Path
) -> None:
    exam = tmp_path / "exam.toml"
    exam.write_text(
        f'name = "sample"\npacks = ["{exam_folder("wireframes")}"]\n[rules]\nsample = 2\n'
    )
    settings = settings_of([exam], None, store, None)
    host = open_exam(settings)
    asyncio.run(open_challenge(settings, host).begin())
    host.close()
    for text in ("", "[rules]\nsample = 3\n", "[rules]\nsample = 2\nseed = 1\n"):
        exam.write_text(f'name = "sample"\npacks = ["{exam_folder("wireframes")}"]\n{text}')
        result = run("worker", str(exam), "--store", store)
        assert result.exit_code == 2
        assert "grades by other references, protocols or sample" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mcp", "serve", "exam init"])
def test_the_default_exam_is_the_same_everywhere(
    name: str, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "exam.toml"
    if name == "exam init":
        assert run("exam", "init").exit_code == 0
    given = [file] if file.exists() else None
    assert settings_of(given, None, store, None).packs == (exam_folder(DEFAULT),)


def test_an_included_exam_is_served_by_its_name(store: str, tmp_path: Path) -> None:
    named = settings_of([Path("wireframes"), Path("desk")], None, store, None)
    assert (named.packs, named.episodes) == ((exam_folder("wireframes"),), ("desk",))
    file = tmp_path / "exam.toml"
    file.write_text('name = "x"\npacks = ["wireframes", "desk"]\n')
    of_file = settings_of([file], None, store, None)
    assert (of_file.packs, of_file.episodes) == (named.packs, named.episodes)


def test_an_exam_file_for_interactive_tasks_names_them(store: str, tmp_path: Path) -> None:
    file = tmp_path / "exam.toml"
    assert run("exam", "init", "desk", "--output", str(file)).exit_code == 0
    assert settings_of([file], None, store, None).episodes == ("desk",)


@pytest.mark.slow
def test_the_example_of_answers_scores_what_the_baseline_does(store: str, tmp_path: Path) -> None:
    answers = Path(__file__).parents[2] / "examples" / "sample_answers.jsonl"
    rows = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    for task, row in baselines()[DEFAULT]["tasks"].items():
        own = [each for each in rows if each["task"] == task]
        if not own:
            assert row["value"] == 0
            continue
        report = sdk.grade(own, task=task, data=exam_folder(DEFAULT))
        assert round(report.value, 4) == row["value"], task


def test_the_list_of_exams_has_items_and_the_baselines_score() -> None:
    lines = {line.split()[0]: line for line in run("benchmarks").stdout.splitlines() if line}
    assert "58 items, 28 tasks" in lines[DEFAULT]
    assert f"baseline {100 * baselines()[DEFAULT]['score']:.1f} %" in lines[DEFAULT]
    assert lines.keys() >= set(included_names())


def test_attempts_are_kept_in_the_users_folder(home: Path) -> None:
    assert default_store() == home / "exams.sqlite"


def test_the_sample_says_whose_it_is() -> None:
    manifest = json.loads((exam_folder("wireframes") / "manifest.json").read_text(encoding="utf-8"))
    assert "ScreenQA" in manifest["licence"]
    assert "CC BY 4.0" in manifest["licence"]


@pytest.mark.parametrize("command", ["mcp", "serve", "worker"])
def test_every_option_of_a_server_has_an_environment_variable(command: str) -> None:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    parameters = group.commands[command].params
    assert [(each.name, each.envvar) for each in parameters if each.name != "help"] == [
        (each.name, f"SNELLEN_{str(each.name).upper()}")
        for each in parameters
        if each.name != "help"
    ]


def test_an_option_is_taken_from_the_environment_and_the_command_line_comes_first(
    store: str, tmp_path: Path
) -> None:
    assert run("token", "create", "alice", SNELLEN_STORE=store).exit_code == 0
    assert "alice" in run("token", "list", SNELLEN_STORE=store).stdout
    other = str(tmp_path / "other.sqlite")
    assert run("token", "list", "--store", other, SNELLEN_STORE=store).stdout == ""
    # Refused by the rules, before anything is opened.
    refused = run("serve", SNELLEN_STORE=store, SNELLEN_SAMPLE="0")
    assert "--sample: Input should be greater than 0" in refused.stderr
    packs = f"{exam_folder('wireframes')}:{tmp_path}"
    refused = run("worker", SNELLEN_STORE=store, SNELLEN_PACKS=packs)
    assert "it is not a pack" in refused.stderr
    assert str(tmp_path) in refused.stderr
