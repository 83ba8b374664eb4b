"""Screenshots and crops: files in the data's folder."""

from collections.abc import Sequence
from pathlib import Path

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.webrssbench.rows import Question
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside


def images_in(folder: Path, questions: Sequence[Question]) -> ImageFiles:
    """Return what reads the images of questions.

    Raises:
        DataError: There is no such folder.
    """

    def paths(index: int, name: str) -> Sequence[str]:
        return [questions[index].images[name].path]

    return ImageFiles(image_folder(folder, "the images of the pages"), paths)


def check_paths(questions: Sequence[Question], file: str) -> None:
    """Refuse images that lie outside the data's folder.

    Raises:
        DataError: A path is absolute, or leads out of the folder.
    """
    for question in questions:
        for name, image in question.images.items():
            if not is_inside(image.path):
                raise DataError(
                    f"{question.place}: image {name!r} has the path {image.path!r}; write one"
                    " relative to the manifest, with /, that stays in its folder",
                    file=file,
                )
