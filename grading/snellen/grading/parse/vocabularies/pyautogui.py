"""Aguvis: pyautogui's and a phone's calls, in fractions of the image."""

from snellen.grading.coordinates import UNIT
from snellen.grading.models.actions import Action, ActionType, Direction, Point
from snellen.grading.parse.vocabularies.base import (
    Vocabulary,
    plain_number,
)

_FINISHED = "terminate"


def _point(point: Point) -> str:
    return f"x={plain_number(point[0])}, y={plain_number(point[1])}"


def _write(action: Action) -> str | None:
    point = action.point
    match action.type:
        case ActionType.CLICK if point:
            return f"pyautogui.click({_point(point)})"
        case ActionType.DOUBLE_CLICK if point:
            return f"pyautogui.doubleClick({_point(point)})"
        case ActionType.RIGHT_CLICK if point:
            return f"pyautogui.rightClick({_point(point)})"
        case ActionType.HOVER if point:
            return f"pyautogui.moveTo({_point(point)})"
        case ActionType.LONG_PRESS if point:
            return f"mobile.long_press({_point(point)})"
        case ActionType.TYPE:
            return f"pyautogui.write(message={action.text!r})"
        case ActionType.KEY:
            return f"pyautogui.hotkey({', '.join(map(repr, action.button.split('+')))})"
        case ActionType.SCROLL if action.direction in (Direction.UP, Direction.DOWN):
            return f"pyautogui.scroll({5 if action.direction is Direction.UP else -5})"
        case ActionType.SCROLL if action.direction:
            return f"pyautogui.hscroll({5 if action.direction is Direction.RIGHT else -5})"
        case ActionType.OPEN_APP:
            return f"mobile.open_app(app_name={action.app!r})"
        case ActionType.NAVIGATE if action.button in ("back", "home"):
            return f"mobile.{action.button}()"
        case ActionType.WAIT:
            return f"mobile.wait(seconds={plain_number(action.seconds or 2)})"
        case ActionType.FINISH if action.text:
            return f"answer(answer={action.text!r})"
        case ActionType.FINISH:
            status = "failure" if action.status == "infeasible" else "success"
            return f"{_FINISHED}(status='{status}')"
        case _:
            return None


PYAUTOGUI = Vocabulary("pyautogui", UNIT, None, _write, "aguvis 178c418")
