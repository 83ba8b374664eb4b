"""The forms of answers, by name."""

from enum import StrEnum


class AnswerKind(StrEnum):
    """What an item asks for."""

    TEXT = "text"
    CHOICE = "choice"
    UI_TEXTS = "ui_texts"
    BOXED_TEXTS = "boxed_texts"
    POINT = "point"
    BOX = "box"
    RELATIONS = "relations"
    LABEL = "label"
    TOOL_CALL = "tool_call"
    ACTION = "action"
    EPISODE = "episode"
