"""UI-Vision: point at elements of desktop applications, and box their regions."""

from snellen.grading.guesses import NoGuess
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.spec import Benchmark, TaskSpec, late, pointing_task
from snellen.tasks.data.release import Place, Release, Signs, row_sign

_COUNTS = {"basic": 1_772, "functional": 1_772, "spatial": 1_935}
_TITLES = {
    "basic": "Point at an element, given its name",
    "functional": "Point at an element, given what it does",
    "spatial": "Point at an element, given what it is next to",
}
FILES = {f"ui-vision/{kind}": f"element_grounding_{kind}.json" for kind in _COUNTS} | {
    "ui-vision/layout": "layout_grounding.json"
}
RELEASES = tuple(Release("2025", "ui-vision", kind, count) for kind, count in _COUNTS.items())
_BY = ("category", "platform")

BENCHMARKS = (
    Benchmark(
        name="ui-vision",
        tasks=(
            *(pointing_task(f"ui-vision/{kind}", title, _BY) for kind, title in _TITLES.items()),
            TaskSpec(
                "ui-vision/layout",
                "Box a region, given its name and purpose",
                AnswerKind.BOX,
                "iou",
                NoGuess("the mean IoU of a random box is next to nothing"),
                ("platform",),
            ),
        ),
        load=late("snellen.tasks.benchmarks.ui_vision.load:load"),
        place=Place(
            "ui-vision",
            "huggingface.co",
            "ServiceNow/ui-vision",
            "not stated",
            tasks={
                task.partition("/")[2]: (f"annotations/*/{name}", f"annotations/{name}")
                for task, name in FILES.items()
            },
            images=("images/*",),
            revision="766c66aeffef16608d4916525902d9fb2598d7ce",
        ),
        releases=RELEASES,
        signs=Signs(
            names={name: task for task, name in FILES.items()},
            rows=(
                row_sign("ui-vision/basic", "prompt_to_evaluate bbox image_path"),
                row_sign("ui-vision/layout", "explanation bbox image_path"),
            ),
            folders=("annotations/*.json", "annotations/*/*.json"),
        ),
    ),
)
