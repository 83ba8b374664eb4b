"""Settings: switches and choices, by section."""

from typing import Any

from markupsafe import Markup, escape
from pydantic import JsonValue

from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.view import View, do, dragged, go

STOP = 24
"""The pixels between the stops of a slider."""

SECTIONS = 7
"""The number of sections at the side; the others open from there."""


class SettingValue(verbs.Arguments):
    """A setting and its new value: one of its options, or `on` or `off`."""

    setting: str
    value: str


def change_setting(state: verbs.State, given: SettingValue) -> JsonValue:
    """Change a setting, unless it is managed by the organization."""
    setting = verbs.take(state["settings"]["values"], given.setting, "setting")
    if setting["locked"]:
        raise verbs.RefusalError(f"“{setting['title']}” is managed by your organization")
    options = setting["options"] or ["on", "off"]
    if given.value not in options:
        raise verbs.RefusalError(f"{given.value} is none of {', '.join(options)}")
    setting["value"] = given.value
    return {"value": given.value}


def list_settings(state: verbs.State, given: verbs.NoArguments) -> JsonValue:
    """List the settings with their options and values."""
    del given
    return [{"id": key, **setting} for key, setting in state["settings"]["values"].items()]


def _view(view: View) -> Markup:
    values = view.state["settings"]["values"]
    sections = list(dict.fromkeys(setting["section"] for setting in values.values()))
    now = view.text("settings.section", sections[0])

    def entry(name: str) -> Markup:
        return view.press(
            "side on" if name == now else "side",
            f"settings.section:{name}",
            go({"settings.section": name}),
            icon("settings", 16),
            span("grow", name),
            label=name,
        )

    side = [entry(name) for name in sections[:SECTIONS]]
    if len(sections) > SECTIONS:
        more = span("side", icon("right", 16), span("grow", "More"))
        hidden = [entry(name) for name in sections[SECTIONS:]]
        side.append(view.hover("settings.more", more, "beside", hidden))
    rows = [
        _row(view, key, setting) for key, setting in values.items() if setting["section"] == now
    ]
    body = div("settings", tag("h2", now), rows)
    return join(
        tag("aside", div("side-top strong", "Settings"), side, class_="sidebar"),
        tag("section", body, class_="fill"),
    )


def _row(view: View, key: str, setting: dict[str, Any]) -> Markup:
    value = setting["value"]
    if setting["options"] and setting["options"][0].isdigit():
        drawn = _slider(view, key, setting)
    elif setting["options"]:
        options = [
            (option, escape(option), do("change_setting", {"setting": key, "value": option}))
            for option in setting["options"]
        ]
        # A value may be the name of an application, which is not translated here.
        drawn = view.menu(f"settings.{key}", escape(value), options, chosen=value)
    else:
        turned = "off" if value == "on" else "on"
        action = do("change_setting", {"setting": key, "value": turned})
        drawn = view.switch(setting["title"], f"settings.{key}", action, on=value == "on")
    hint = "Managed by your organization" if setting["locked"] else None
    return div(
        "setting",
        div("grow", div("strong", setting["title"]), div("soft", hint) if hint else None),
        drawn,
    )


def _slider(view: View, key: str, setting: dict[str, Any]) -> Markup:
    """Return a knob that is dragged along a line; it stops at each option."""
    options, name = setting["options"], f"slider {key}"
    stops = [
        span(
            "stop",
            style=f"left:{STOP * index}px",
            aria_label=f"{setting['title']}: {value}",
            aria_dropeffect="move",
            data_d=view.place(f"settings.{key}.to:{value}", name, value=value),
        )
        for index, value in enumerate(options)
    ]
    moved = dragged(name, "change_setting", {"setting": key}, "Setting changed")
    knob = view.press(
        "slider-knob",
        f"settings.{key}",
        go({}),
        label=setting["title"],
        style=f"left:{STOP * options.index(setting['value'])}px",
        grab=moved,
    )
    return div("slider", span("slider-line"), stops, knob, span("slider-value", setting["value"]))


SETTINGS = App(
    "settings", "Settings", _view, (verbs.read(list_settings), verbs.verb(change_setting))
)
