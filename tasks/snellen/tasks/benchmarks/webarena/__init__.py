"""WebArena: tasks on copies of web sites, with the checks of WebArena-Verified."""

from snellen.grading.guesses import NoGuess
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_TASK = "webarena/verified"
_COMMIT = "6473f72db5dcefc97b5725b59e734504edc28a21"
_FULL = "d65275660814663375028e9017e1f929e3c38321041b125795e2713b52243d30"
# Of the file and the places of the hard tasks.
_HARD = "1c5c48a7d59556434a6bba5ca824b2391edee8112951dee6f9f1275fab393e75"

RELEASES = (
    Release("1.2.3", "webarena", "full", 812, _FULL),
    Release("1.2.3", "webarena", "hard", 258, _HARD),
)

BENCHMARKS = (
    Benchmark(
        name="webarena",
        tasks=(
            TaskSpec(
                _TASK,
                "Do a task on a web site (WebArena-Verified)",
                AnswerKind.EPISODE,
                "success",
                NoGuess("answers are free, and requests are the browser's"),
                ("task_type", "site", "checks"),
            ),
        ),
        load=late("snellen.tasks.benchmarks.webarena.load:load"),
        place=Place(
            "webarena",
            "github.com",
            "ServiceNow/webarena-verified",
            "Apache 2.0",
            tasks={
                "verified": (
                    "assets/dataset/webarena-verified.json",
                    "assets/dataset/test.raw.json",
                    "assets/dataset/subsets/webarena-verified-hard.json",
                )
            },
            revision=_COMMIT,
            note="The web sites are not fetched: they are Docker images.",
        ),
        releases=RELEASES,
        signs=Signs(
            names={"webarena-verified.json": _TASK, "webarena-verified.json.gz": _TASK},
            rows=(row_sign(_TASK, "task_id sites start_urls intent eval revision"),),
            folders=(
                "webarena-verified.json*",
                "assets/dataset/webarena-verified.json",
                "dataset/webarena-verified.json",
            ),
        ),
    ),
)
