"""The pages of annotations, for raters and organizers."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from snellen.annotate.forms import Form, choices_of, form_of
from snellen.annotate.models import RatedItem
from snellen.annotate.queries import Place
from snellen.annotate.rated import RatedTask, Rater
from snellen.annotate.service import Annotations, ItemToRate
from snellen.grading.errors import SnellenError
from snellen.grading.metrics.boxes import Ltrb
from snellen.server.challenge.models import iso
from snellen.server.errors import ExamError
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Visitor
from snellen.server.http.api.exams import picture_response
from snellen.server.http.pages.frame import Frame, go, words_of
from snellen.server.http.responses import root_of
from snellen.server.store.tables.annotations import RatingRow
from snellen.server.store.tables.exams import Scope
from snellen.tasks.pack.seal import find_key

MOST_SUSPECTS = 200
_POINT = re.compile(r"(-?\d{1,6}),(-?\d{1,6})")
_BOX = re.compile(r"\s*,\s*|\s+")


class Stage(NamedTuple):
    """An image on which a rater chooses a box."""

    width: int  # the image's width, in pixels
    height: int  # the image's height, in pixels
    elements: Sequence[Ltrb]  # the boxes to choose from; empty if the rater clicks two corners
    chosen: int | None  # the index of the chosen box; None: none
    corner: tuple[int, int] | None  # the first clicked corner; None: none
    box: Ltrb | None  # the chosen box, to be confirmed; None: none


def routes(actions: Actions, key: Path | None) -> Sequence[Route]:
    """Return the routes of the annotations of an exam's packs.

    Args:
        actions: The actions of the exam's callers.
        key: The file with the key of sealed references; None: as `find_key` finds it.
    """
    challenge = actions.challenge
    annotations = Annotations(challenge.exam.packs, challenge.database)
    rater = Rater(lambda pack: find_key(key, pack=pack.folder))
    return AnnotationPages(actions, annotations, rater).routes()


class AnnotationPages(Frame):
    """The pages of the annotations of an exam's packs.

    Args:
        actions: The actions of the exam's callers.
        annotations: The annotations.
        rater: Compares the raters' answers. It opens the references, so only organizers' pages
            call it.
    """

    def __init__(self, actions: Actions, annotations: Annotations, rater: Rater) -> None:
        super().__init__(actions)
        self._annotations = annotations
        self._rater = rater

    def routes(self) -> Sequence[Route]:
        one, organized = "/annotate/{annotation}", "/organize/annotations/{annotation}"
        return [
            self._route("/annotate", self._list),
            self._route(one, self._item),
            self._route(one, self._answer, "POST"),
            self._route(f"{one}/answers", self._answers),
            self._route(f"{one}/image", self._image),
            self._route("/organize/annotations", self._organize),
            self._route(organized, self._report),
            self._route(f"{organized}/close", self._close, "POST"),
            self._route(f"{organized}/extend", self._extend, "POST"),
        ]

    # ---- for raters --------------------------------------------------------------------------

    async def _list(self, request: Request, visitor: Visitor) -> Response:
        rater = visitor.need(Scope.ANNOTATE)
        service = self._annotations
        rows = await self._read(service.listed)
        cards = [await self._read(lambda n=row.name: service.card(n, rater)) for row in rows]
        return self._page("annotations", request, visitor, cards=cards)

    async def _item(self, request: Request, visitor: Visitor) -> Response:
        rater = visitor.need(Scope.ANNOTATE)
        name, given = request.path_params["annotation"], request.query_params
        service = self._annotations
        card = await self._read(lambda: service.card(name, rater))
        if "item" in given:
            place = Place(task=given.get("task", ""), item=given["item"])
        else:
            place = await self._read(lambda: service.next_item(name, rater)) if card.open else None
        if place is None:
            return self._page("annotated", request, visitor, card=card)
        found: ItemToRate = await self._read(
            lambda: service.item(name, rater, place.task, place.item)
        )
        item, form = found.line.item, form_of(found.line.item)
        before = None if found.rating is None else found.rating
        said = None if before is None or before.given is None else json.loads(before.given)
        query = urlencode({"task": place.task, "item": place.item})
        return self._page(
            "annotate",
            request,
            visitor,
            card=card,
            task=place.task,
            item=item,
            form=form,
            choices=choices_of(item) if form is Form.OPTION else (),
            stage=_stage(found, given, said) if form is Form.BOX else None,
            by_corners=given.get("by") == "corners",
            said="\n".join(said) if form is Form.LINES and said is not None else said,
            before=before,
            path=f"{root_of(request)}/annotate/{name}",
            query=query,
        )

    async def _answer(self, request: Request, visitor: Visitor) -> Response:
        rater = visitor.need(Scope.ANNOTATE)
        name, form = request.path_params["annotation"], await words_of(request)
        place = Place(task=form.get("task", ""), item=form.get("item", ""))
        if form.get("do") == "skip":
            await self._annotations.skip(name, rater, place, form.get("reason", ""))
        else:
            await self._annotations.answer(name, rater, place, _given(form))
        back = "/answers" if form.get("back") == "answers" else ""
        return go(request, f"/annotate/{name}{back}")

    async def _answers(self, request: Request, visitor: Visitor) -> Response:
        rater = visitor.need(Scope.ANNOTATE)
        name = request.path_params["annotation"]
        card = await self._read(lambda: self._annotations.card(name, rater))
        rows: Sequence[RatingRow] = await self._read(lambda: self._annotations.own(name, rater))
        shown = [
            {"task": row.task, "item": row.item, "at": iso(row.at), "said": _said(row)}
            for row in rows
        ]
        return self._page("answers", request, visitor, card=card, rows=shown)

    async def _image(self, request: Request, visitor: Visitor) -> Response:
        rater = visitor.need(Scope.ANNOTATE)
        name, given = request.path_params["annotation"], request.query_params
        task, item = given.get("task", ""), given.get("item", "")
        found: ItemToRate = await self._read(
            lambda: self._annotations.item(name, rater, task, item)
        )
        row = await self._read(lambda: self._annotations.named(name))
        pack = self._annotations.packs[row.pack]
        return await picture_response(
            self._actions.images, request, pack, found.line, given.get("name")
        )

    # ---- for organizers ----------------------------------------------------------------------

    async def _organize(self, request: Request, visitor: Visitor) -> Response:
        visitor.need(Scope.ORGANIZE)
        service = self._annotations
        rows = [
            {
                "name": row.name,
                "mode": row.mode.value,
                "created": iso(row.created),
                "closed": None if row.closed is None else iso(row.closed),
                "items": len(await self._read(lambda n=row.name: service.places(n))),
                "left": await self._read(lambda n=row.name: service.unfinished(n)),
            }
            for row in await self._read(service.listed)
        ]
        return self._page("organize_annotations", request, visitor, rows=rows)

    async def _report(self, request: Request, visitor: Visitor) -> Response:
        visitor.need(Scope.ORGANIZE)
        name = request.path_params["annotation"]
        row = await self._read(lambda: self._annotations.named(name))
        answers = await self._read(lambda: self._annotations.answers(name))
        given = {(each.task, each.item_id, each.rater): each for each in answers}
        rated = await self._rated(name)

        def shown(task: RatedTask, item: RatedItem) -> Mapping[str, Any]:
            groups = [
                {
                    "raters": raters,
                    "said": _text(given[task.data.task, item.item_id, raters[0]].given),
                }
                for raters in (item.agree, *item.others)
                if raters
            ]
            reference = None if item.wrong is None else _text(task.reference(item.item_id))
            return {"item": item, "reference": reference, "groups": groups}

        tasks = [
            {
                "report": task.report,
                "suspects": len(task.report.suspects()),
                "rows": [shown(task, item) for item in task.report.disputed[:MOST_SUSPECTS]],
            }
            for task in rated
        ]
        left = await self._read(lambda: self._annotations.unfinished(name))
        return self._page(
            "annotation_report", request, visitor, row=row, tasks=tasks, left=left,
            disputed=sum(len(task.report.disputed) for task in rated),
        )  # fmt: skip

    async def _close(self, request: Request, visitor: Visitor) -> Response:
        caller = visitor.need(Scope.ORGANIZE)
        name = request.path_params["annotation"]
        closed = (await words_of(request)).get("open") != "yes"
        await asyncio.to_thread(self._annotations.close, name, closed=closed)
        what = "annotation closed" if closed else "annotation opened"
        await self._challenge.events.note(caller, what, name)
        return go(request, f"/organize/annotations/{name}")

    async def _extend(self, request: Request, visitor: Visitor) -> Response:
        caller = visitor.need(Scope.ORGANIZE)
        name = request.path_params["annotation"]
        rated = await self._rated(name)
        places = [(each.data.task, item.item_id) for each in rated for item in each.report.disputed]
        await asyncio.to_thread(self._annotations.extend, name, places)
        await self._challenge.events.note(caller, "annotation extended", name)
        return go(request, f"/organize/annotations/{name}")

    async def _rated(self, name: str) -> Sequence[RatedTask]:
        row = await self._read(lambda: self._annotations.named(name))
        answers = await self._read(lambda: self._annotations.answers(name))
        pack = self._annotations.packs[row.pack]
        try:
            return await asyncio.to_thread(self._rater, name, pack, row.mode, answers)
        except ExamError:
            raise
        except SnellenError as error:
            raise ExamError(str(error)) from None


def _given(form: Mapping[str, str]) -> JsonValue:
    """Return a form's answer; the service checks whether it is an answer to the item."""
    if "box" in form:
        try:
            return [float(side) for side in _BOX.split(form["box"].strip())]
        except ValueError:
            raise ExamError(
                "a box is four numbers: left, top, right, bottom in pixels", field="box"
            ) from None
    return form.get("option") or form.get("text", "")


def _stage(found: ItemToRate, given: Mapping[str, str], said: JsonValue) -> Stage | None:
    """Return the image on which a box is chosen; None: its size is unknown."""
    image = next(iter(found.line.item.images), None)
    if image is None or image.width is None or image.height is None:
        return None
    size = image.width, image.height
    elements = () if given.get("by") == "corners" else found.elements
    if elements:
        number = given.get("element", "")
        boxes: list[JsonValue] = [list(box) for box in elements]
        if not number and said in boxes:
            return Stage(*size, elements, boxes.index(said), None, None)
        if not (number.isdecimal() and len(number) < 6 and int(number) < len(elements)):
            return Stage(*size, elements, None, None, None)
        return Stage(*size, elements, int(number), None, elements[int(number)])
    first = _corner(given, "from") or _written(given.get("first", ""))
    second = _corner(given, "to")
    if first is None or second is None or first[0] == second[0] or first[1] == second[1]:
        return Stage(*size, (), None, first, None)
    left, right = sorted((first[0], second[0]))
    top, bottom = sorted((first[1], second[1]))
    inside = (max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1]))
    return Stage(*size, (), None, first, inside)


def _corner(given: Mapping[str, str], name: str) -> tuple[int, int] | None:
    """Return the clicked point of an image, which a browser sends as two numbers."""
    return _written(f"{given.get(f'{name}.x', '')},{given.get(f'{name}.y', '')}")


def _written(text: str) -> tuple[int, int] | None:
    match = _POINT.fullmatch(text)
    return None if match is None else (int(match[1]), int(match[2]))


def _said(row: RatingRow) -> str:
    return f"can't tell: {row.reason}" if row.given is None else _text(json.loads(row.given))


def _text(value: Any) -> str:  # noqa: ANN401  # the published shape of a reference
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(_text, cast("list[Any]", value))) or "nothing"
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value, ensure_ascii=False)
