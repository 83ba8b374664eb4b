"""The statements of annotations: reads and writes of the store."""

from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, func, insert, select, update

from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.annotations import (
    AnnotationItemRow,
    AnnotationRow,
    RatingRow,
    annotation_items,
    annotations,
    ratings,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An item of an annotation."""

    task: str
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many there are."""

    count: int


_THIS = and_(
    ratings.c.annotation == bindparam("a"),
    ratings.c.task == bindparam("t"),
    ratings.c.item == bindparam("i"),
)
_OF_ITEM = and_(
    ratings.c.annotation == annotation_items.c.annotation,
    ratings.c.task == annotation_items.c.task,
    ratings.c.item == annotation_items.c.item,
)
_OWN = select(1).where(_OF_ITEM, ratings.c.rater == bindparam("r")).exists()
# A skipped item does not count as answered: it needs another rater.
_GIVEN = (
    select(func.count())
    .select_from(ratings)
    .where(_OF_ITEM, ratings.c.given.is_not(None))
    .scalar_subquery()
)

ALL = Query(select(annotations).order_by(annotations.c.id), AnnotationRow)
NAMED = Query(select(annotations).where(annotations.c.name == bindparam("n")), AnnotationRow)
CLOSE = Statement(
    update(annotations).where(annotations.c.id == bindparam("a")).values(closed=bindparam("at"))
)
ADD_ITEM = Statement(insert(annotation_items))
ITEM = Query(
    select(annotation_items).where(
        annotation_items.c.annotation == bindparam("a"),
        annotation_items.c.task == bindparam("t"),
        annotation_items.c.item == bindparam("i"),
    ),
    AnnotationItemRow,
)
ITEMS = Query(
    select(annotation_items.c.task, annotation_items.c.item).where(
        annotation_items.c.annotation == bindparam("a")
    ),
    Place,
)
OPEN_ITEMS = Query(
    select(annotation_items.c.task, annotation_items.c.item).where(
        annotation_items.c.annotation == bindparam("a"),
        ~_OWN,
        annotation_items.c.wanted > _GIVEN,
    ),
    Place,
)
UNFINISHED = Query(
    select(func.count().label("count")).where(
        annotation_items.c.annotation == bindparam("a"), annotation_items.c.wanted > _GIVEN
    ),
    Count,
)
EXTEND = Statement(
    update(annotation_items)
    .where(
        annotation_items.c.annotation == bindparam("a"),
        annotation_items.c.task == bindparam("t"),
        annotation_items.c.item == bindparam("i"),
    )
    .values(wanted=bindparam("w"))
)
RATING = Query(select(ratings).where(_THIS, ratings.c.rater == bindparam("r")), RatingRow)
RATINGS = Query(
    select(ratings)
    .where(ratings.c.annotation == bindparam("a"))
    .order_by(ratings.c.task, ratings.c.item, ratings.c.rater),
    RatingRow,
)
RATINGS_OF_ITEM = Query(select(ratings).where(_THIS).order_by(ratings.c.rater), RatingRow)
OWN_RATINGS = Query(
    select(ratings)
    .where(ratings.c.annotation == bindparam("a"), ratings.c.rater == bindparam("r"))
    .order_by(ratings.c.at.desc(), ratings.c.task, ratings.c.item),
    RatingRow,
)
OWN_COUNT = Query(
    select(func.count().label("count")).where(
        ratings.c.annotation == bindparam("a"), ratings.c.rater == bindparam("r")
    ),
    Count,
)
ADD_RATING = Statement(insert(ratings))
CORRECT = Statement(
    update(ratings)
    .where(_THIS, ratings.c.rater == bindparam("r"))
    .values(
        given=bindparam("g"),
        reason=bindparam("why"),
        at=bindparam("at"),
        source=bindparam("s"),
        corrected=ratings.c.corrected + 1,
    )
)


def add_annotation(connection: Connection, row: AnnotationRow) -> int:
    """Write an annotation and return its number, assigned by the store."""
    query = insert(annotations).returning(annotations.c.id)
    return int(connection.execute(query, row_values(row)).scalar_one())
