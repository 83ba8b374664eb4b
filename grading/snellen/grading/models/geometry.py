"""Points and boxes that say which space their numbers live in.

A pair of numbers means nothing until it is known what they count. Published graders guess ("a
value over 1 must be pixels"), so that pixel (1, 1) becomes the bottom right corner; here every
point and every box carries its `Space`, and only `to` changes it.

A view shows the whole image, scaled, so all four spaces differ by a factor along each axis. The
origin is the top left corner, x grows to the right and y downwards.
"""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from snellen.grading.errors import InputError
from snellen.grading.models.base import Closed

# Strict: a coordinate read from a string or a bool is a mistake to report, not to repair.
Coordinate = Annotated[float, Field(strict=True)]
Extent = Annotated[float, Field(strict=True, gt=0)]


class Space(StrEnum):
    """What a coordinate counts."""

    PIXELS = "pixels"
    """Pixels of the original image."""
    VIEW = "view"
    """Pixels of the view that was delivered, which may be smaller than the original."""
    UNIT = "unit"
    """Fractions of the image's width and height, 0 to 1."""
    THOUSAND = "thousand"
    """Thousandths of the image's width and height, 0 to 1000."""


class Size(Closed):
    """The width and height of an image, in pixels."""

    width: Extent
    height: Extent


class _Placed(Closed):
    space: Space
    view: Size | None = None

    @model_validator(mode="after")
    def _view_belongs_to_its_space(self) -> Self:
        if self.space is Space.VIEW and self.view is None:
            raise ValueError("coordinates in the space 'view' need the size of that view")
        if self.space is not Space.VIEW and self.view is not None:
            raise ValueError(f"coordinates in the space '{self.space}' have no view size")
        return self


class Point(_Placed):
    """One point, and the space it is given in.

    >>> Point(x=500, y=250, space=Space.THOUSAND).to(Space.UNIT)
    Point(space=<Space.UNIT: 'unit'>, view=None, x=0.5, y=0.25)
    """

    x: Coordinate
    y: Coordinate

    def to(self, space: Space, *, image: Size | None = None, view: Size | None = None) -> "Point":
        """Express the same point in another space.

        Args:
            space: The space to go to.
            image: Size of the original image; needed to leave or reach pixels.
            view: Size of the view to reach; needed exactly when `space` is the view.

        Raises:
            InputError: A size is missing, or a view is given that nobody asked for.
        """
        old, new = _extents(self, space, image, view)
        return Point(
            x=self.x * new.width / old.width,
            y=self.y * new.height / old.height,
            space=space,
            view=view,
        )


class Box(_Placed):
    """One rectangle, and the space it is given in; a side may have no length.

    >>> box = Box(left=10, top=0, right=30, bottom=5, space=Space.PIXELS)
    >>> box.to(Space.UNIT, image=Size(width=100, height=50)).ltrb
    (0.1, 0.0, 0.3, 0.1)
    """

    left: Coordinate
    top: Coordinate
    right: Coordinate
    bottom: Coordinate

    @model_validator(mode="after")
    def _sides_in_order(self) -> Self:
        if self.right < self.left:
            raise ValueError(f"an inverted box: right {self.right} is less than left {self.left}")
        if self.bottom < self.top:
            raise ValueError(f"an inverted box: bottom {self.bottom} is less than top {self.top}")
        return self

    @property
    def ltrb(self) -> tuple[float, float, float, float]:
        """The four numbers in the order left, top, right, bottom, as the metrics take them."""
        return self.left, self.top, self.right, self.bottom

    @property
    def centre(self) -> Point:
        """The point in the middle, in the same space."""
        # Halves are added, not the sum halved: the sum of two huge sides is not finite.
        return Point(
            x=self.left / 2 + self.right / 2,
            y=self.top / 2 + self.bottom / 2,
            space=self.space,
            view=self.view,
        )

    def to(self, space: Space, *, image: Size | None = None, view: Size | None = None) -> "Box":
        """Express the same box in another space.

        Args:
            space: The space to go to.
            image: Size of the original image; needed to leave or reach pixels.
            view: Size of the view to reach; needed exactly when `space` is the view.

        Raises:
            InputError: A size is missing, or a view is given that nobody asked for.
        """
        old, new = _extents(self, space, image, view)
        return Box(
            left=self.left * new.width / old.width,
            top=self.top * new.height / old.height,
            right=self.right * new.width / old.width,
            bottom=self.bottom * new.height / old.height,
            space=space,
            view=view,
        )


_UNIT = Size(width=1, height=1)
_THOUSAND = Size(width=1000, height=1000)


def _extents(
    placed: _Placed, space: Space, image: Size | None, view: Size | None
) -> tuple[Size, Size]:
    """What the whole image measures in the space left and in the space reached."""
    if space is not Space.VIEW and view is not None:
        raise InputError(f"a view size was given, but the space to reach is '{space}'")
    if placed.space is space and placed.view == view:
        return _UNIT, _UNIT
    return _extent(placed.space, image, placed.view), _extent(space, image, view)


def _extent(space: Space, image: Size | None, view: Size | None) -> Size:
    match space:
        case Space.UNIT:
            return _UNIT
        case Space.THOUSAND:
            return _THOUSAND
        case Space.PIXELS:
            if image is None:
                raise InputError("to or from pixels needs the size of the original image")
            return image
        case Space.VIEW:
            if view is None:
                raise InputError("to reach a view needs the size of that view")
            return view
