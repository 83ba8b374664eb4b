"""Saying what a folder or a file is, whether it loads, and what is wrong with it."""

from snellen.tasks.data.check.checker import check
from snellen.tasks.data.check.images import ImageFault, ImageProblem, image_faults
from snellen.tasks.data.check.models import (
    DataCheck,
    DataFault,
    ImageNote,
    ImagesCheck,
    Origin,
    SplitCheck,
)
from snellen.tasks.data.check.signs import recognize

__all__ = [
    "DataCheck",
    "DataFault",
    "ImageFault",
    "ImageNote",
    "ImageProblem",
    "ImagesCheck",
    "Origin",
    "SplitCheck",
    "check",
    "image_faults",
    "recognize",
]
