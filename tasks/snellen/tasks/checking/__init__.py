"""Saying what a folder or a file is, whether it loads, and what is wrong with it."""

from snellen.tasks.checking.checker import check
from snellen.tasks.checking.images import ImageFault, ImageProblem, image_faults
from snellen.tasks.checking.models import (
    DataCheck,
    DataFault,
    ImageNote,
    ImagesCheck,
    Origin,
    SplitCheck,
)
from snellen.tasks.checking.signs import recognise

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
    "recognise",
]
