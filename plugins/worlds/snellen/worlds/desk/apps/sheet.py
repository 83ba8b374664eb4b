"""Sheet: cells with texts, numbers and sums."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from markupsafe import Markup, escape
from pydantic import Field, JsonValue

from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, join, span, tag
from snellen.worlds.desk.kit.view import CLOSE, Action, Grab, Layer, View, do, go

COLUMNS = "ABCDEFG"
ROWS = 22
NUMBERS, EDGE, WIDE = 44, 20, 1180
WIDTHS = {"B": 230}
"""The widths of columns in pixels, other than 150."""

_FORMULA = re.compile(r"=(SUM|AVERAGE|MIN|MAX|COUNT)\(([A-G])(\d+):([A-G])(\d+)\)", re.IGNORECASE)


class SheetId(verbs.Arguments):
    """A sheet."""

    sheet: str


class CellValue(SheetId):
    """A cell, such as B7, and its new content; empty: none."""

    cell: Annotated[str, verbs.written_like(r"[A-G]([1-9]|1\d|2[0-2])", "B7, from A1 to G22")]
    value: Annotated[str, Field(max_length=100)]


class NewSheet(verbs.Arguments):
    """A new sheet."""

    name: Annotated[str, Field(min_length=1, max_length=20)]


def set_cell(state: verbs.State, given: CellValue) -> JsonValue:
    """Write a text, a number or a formula such as =SUM(B2:B9) into a cell."""
    cells = verbs.take(state["sheet"]["sheets"], given.sheet, "sheet")["cells"]
    if given.value.startswith("=") and not _FORMULA.fullmatch(given.value):
        raise verbs.RefusalError("Formulas look like =SUM(B2:B9); also AVERAGE, MIN, MAX, COUNT")
    if given.value:
        cells[given.cell] = given.value
    else:
        cells.pop(given.cell, None)
    return {given.cell: shown(cells, given.cell)}


def add_sheet(state: verbs.State, given: NewSheet) -> JsonValue:
    """Add an empty sheet."""
    if any(sheet["name"] == given.name for sheet in state["sheet"]["sheets"].values()):
        raise verbs.RefusalError(f"There is a sheet {given.name} already")
    if len(state["sheet"]["sheets"]) >= 6:
        raise verbs.RefusalError("Six sheets are the most that fit")
    return {"sheet": verbs.add(state["sheet"]["sheets"], {"name": given.name, "cells": {}})}


def list_sheets(state: verbs.State, given: verbs.NoArguments) -> JsonValue:
    """List the sheets."""
    del given
    return {key: sheet["name"] for key, sheet in state["sheet"]["sheets"].items()}


def read_sheet(state: verbs.State, given: SheetId) -> JsonValue:
    """Read the displayed values of a sheet's cells."""
    cells = verbs.take(state["sheet"]["sheets"], given.sheet, "sheet")["cells"]
    return {cell: shown(cells, cell) for cell in sorted(cells)}


def shown(cells: Mapping[str, str], cell: str) -> str:
    """Return what a cell shows: its text, or its formula's value over cells that are numbers."""
    text = cells.get(cell, "")
    match = _FORMULA.fullmatch(text)
    if match is None:
        return text
    name, first, top, last, bottom = match.groups()
    numbers: list[float] = []
    for column in COLUMNS[COLUMNS.index(first.upper()) : COLUMNS.index(last.upper()) + 1]:
        for row in range(int(top), int(bottom) + 1):
            try:
                numbers.append(float(cells.get(f"{column}{row}", "")))
            except ValueError:
                # A text or a formula counts as nothing, as in other spreadsheets' sums of texts.
                continue
    value = {
        "SUM": lambda: sum(numbers),
        "COUNT": lambda: len(numbers),
        "AVERAGE": lambda: sum(numbers) / len(numbers) if numbers else 0,
        "MIN": lambda: min(numbers, default=0),
        "MAX": lambda: max(numbers, default=0),
    }[name.upper()]()
    return f"{round(value, 2):g}" if abs(value) < 1e5 else f"{value:.0f}"


def _view(view: View) -> Markup:
    sheets = view.state["sheet"]["sheets"]
    key = view.text("sheet.open")
    key = key if key in sheets else next(iter(sheets))
    sheet = sheets[key]
    cell = view.text("sheet.cell", "A1")
    cells = sheet["cells"]
    raw = cells.get(cell, "")
    write = do("set_cell", {"sheet": key, "cell": cell}, {"value": "sheet.value"})
    bar = div(
        "toolbar",
        span("cell-name", cell),
        div("grow", view.input("sheet.value", hint="Text, number or =SUM(B2:B9)",
                               enter="", default=raw, data_raw=raw)),
        view.button("Enter", "sheet.set.go", write, sign="check", kind="primary"),
    )  # fmt: skip

    def chosen(cell: str) -> Action:
        # Like other spreadsheets it keeps what is half-written in the cell before.
        return replace(write, ui=_selected(view, cells, cell))

    head = tag("tr", tag("th", ""), [_head(view, key, column) for column in COLUMNS])
    rows = [
        tag(
            "tr",
            tag("th", str(row)),
            [
                _cell(view, cells, f"{column}{row}", cell, chosen(f"{column}{row}"))
                for column in COLUMNS
            ],
        )
        for row in range(1, ROWS + 1)
    ]
    tabs = div(
        "sheet-tabs",
        [
            view.press(
                "sheet-tab on" if each == key else "sheet-tab",
                f"sheet.tab:{each}",
                replace(write, ui={
                    "sheet.open": each, "sheet.cell": "A1",
                    "sheet.value": sheets[each]["cells"].get("A1", "")}),
                sheets[each]["name"],
                label=sheets[each]["name"],
            )
            for each in sheets
        ],
        view.button(
            "New sheet", "sheet.new", go({"dialog": "sheet.new", "form.*": None}), sign="plus",
            kind="quiet",
        ),
    )  # fmt: skip
    wide = NUMBERS + sum(_widths(view, key).values())
    edges = [
        span(
            "edge",
            style=f"left:{x}px",
            aria_label=f"{x} pixels",
            aria_dropeffect="move",
            data_d=view.place(f"sheet.edge:{x}", "edge", x=x),
        )
        for x in range(EDGE, WIDE, EDGE)
    ]
    table = tag("table", head, rows, class_="grid", style=f"width:{wide}px")
    grid = view.scroll("sheet.grid", div("grid-room", edges, table), rows=False)
    keys = _keys(view, cells, cell, write)
    return join(tag("section", bar, grid, tabs, class_="fill"), _dialogs(view), keys)


def _widths(view: View, sheet: str) -> dict[str, int]:
    name = f"sheet.width.{sheet}."
    return {each: view.number(f"{name}{each}", WIDTHS.get(each, 150)) for each in COLUMNS}


def _head(view: View, sheet: str, column: str) -> Markup:
    """Return the head of a column, whose right edge is dragged."""
    widths = _widths(view, sheet)
    left = NUMBERS + sum(widths[each] for each in COLUMNS[: COLUMNS.index(column)])

    def dropped(place: Mapping[str, JsonValue]) -> Action:
        width = max(int(str(place["x"])) - left, EDGE)
        return go({f"sheet.width.{sheet}.{column}": width})

    handle = view.press("handle", f"sheet.handle:{column}", go({}), label=f"Width of {column}",
                        grab=Grab("edge", dropped))  # fmt: skip
    return tag("th", column, handle, style=f"width:{widths[column]}px")


def _cell(view: View, cells: Mapping[str, str], cell: str, now: str, action: Action) -> Markup:
    text, raw, on = shown(cells, cell), cells.get(cell, ""), cell == now
    number = text.replace(".", "", 1).lstrip("-").isdigit()
    kind = "cell-box" + (" on" if on else "") + (" number" if number else "")
    written = view.text("sheet.value", raw) if on else raw
    drawn, back = text if written == raw else written, text if on else None
    # Never translated.
    box = view.press(kind, f"sheet.cell:{cell}", action, escape(drawn), label=cell, data_shown=back)
    return tag("td", box)


def _selected(view: View, cells: Mapping[str, str], cell: str) -> dict[str, JsonValue]:
    """Return what to set on the screen to select a cell."""
    ui: dict[str, JsonValue] = {"sheet.cell": cell, "focus": "sheet.value"}
    if cell != view.text("sheet.cell", "A1"):
        ui["sheet.value"] = cells.get(cell, "")
    return ui


def _keys(view: View, cells: Mapping[str, str], cell: str, write: Action) -> list[Markup]:
    """Return the keys of the grid; a cell is edited in the field above it."""
    field = "sheet.value"

    def beside(right: int, down: int) -> dict[str, JsonValue]:
        column = min(max(COLUMNS.index(cell[0]) + right, 0), len(COLUMNS) - 1)
        row = min(max(int(cell[1:]) + down, 1), ROWS)
        return _selected(view, cells, f"{COLUMNS[column]}{row}")

    again = {"focus": field}
    clear = do("set_cell", {**write.given, "value": ""}, then={**again, field: None})
    undo = do("undo_change", {"app": "sheet"}, then={**again, field: None, "toast": "Undone"})
    sides = {"Left": (-1, 0), "Right": (1, 0), "Up": (0, -1), "Down": (0, 1)}
    leaves = {"Enter": (0, 1), "Shift+Enter": (0, -1), "Tab": (1, 0), "Shift+Tab": (-1, 0)}
    return [
        *(view.key(keys, f"sheet.{keys}", replace(write, ui=beside(*way)), field=field)
          for keys, way in leaves.items()),
        *(view.key(f"Arrow{side}", f"sheet.{side}", go(beside(*way)), field=field, idle=True)
          for side, way in sides.items()),
        view.key("Escape", "sheet.escape", go({**again, field: None}), field=field),
        *(view.key(keys, f"sheet.{keys}", clear, field=field, idle=True)
          for keys in ("Delete", "Backspace", "Control+x")),
        view.key("Control+v", "sheet.paste", replace(write, ui=again), field=field, idle=True),
        view.key("Control+z", "sheet.undo", undo, field=field, idle=True),
    ]  # fmt: skip


def _dialogs(view: View) -> Markup:
    if view.text("dialog") != "sheet.new":
        return Markup("")
    with view.layer(Layer.DIALOG):
        field = view.input("form.name", "Name", enter="sheet.save")
        action = do("add_sheet", {}, {"name": "form.name"}, {**CLOSE.ui, "toast": "Sheet added"})
        save = view.button("Add", "sheet.save", action, kind="primary")
        return view.dialog("New sheet", field, view.cancel(), save)


def rows_of(sheet: Mapping[str, Any]) -> list[int]:
    """Return the rows below the first that have a text in column A."""
    return sorted(int(cell[1:]) for cell in sheet["cells"] if cell[0] == "A" and cell != "A1")


SHEET = App(
    "sheet",
    "Sheet",
    _view,
    (verbs.read(list_sheets), verbs.read(read_sheet), verbs.verb(set_cell), verbs.verb(add_sheet)),
)
