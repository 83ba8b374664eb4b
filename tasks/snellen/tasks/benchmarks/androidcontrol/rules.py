"""AndroidControl's steps, scored by each public implementation that could be run.

They differ in how far off a click may be, in what typed text has to share, in whether the type of
the action counts, and in which steps they drop. References are in pixels of the screenshot; each
vocabulary says what an answer's numbers count.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import sqrt

import msgspec

from snellen.grading.coordinates import PIXELS, THOUSAND, UNIT, VIEW, Extent
from snellen.grading.metrics import taps
from snellen.grading.models.actions import Action, Point, direction_of, swiped
from snellen.grading.models.actions import ActionType as A
from snellen.grading.parse.vocabularies import agentcpm, os_atlas, qwen, screensuite, uground
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.parse.vocabularies.literals import json_fields
from snellen.grading.protocols import step_rules as rules
from snellen.grading.protocols import steps
from snellen.grading.protocols.base import (
    AnswerValue,
    Denominator,
    Protocol,
    PublishedCrashError,
    UnjudgeableError,
)
from snellen.grading.protocols.golds import STEP, GoldShape, Node, StepGold
from snellen.grading.protocols.gui_r1_steps import GUI_R1
from snellen.grading.protocols.robust_steps import robust_steps
from snellen.grading.protocols.steps import ReadStep, screen_of, text_in

HIGH, LOW = "androidcontrol/high", "androidcontrol/low"
Value = Sequence[float]
RIGHT, WRONG = (1.0, 1.0), (0.0, 0.0)
KIND = (0.0, 1.0)
"""The right kind of action at a wrong target."""


def _scored(right: object) -> Value:
    """Return the value of a step of the right kind."""
    return RIGHT if right else KIND


# ---- Qwen's rule, as InfiGUI-R1 published it and UI-S1 altered it ------------------------------

QWEN_NAMES = {A.CLICK: "click", A.LONG_PRESS: "long_press", A.TYPE: "type", A.OPEN_APP: "open",
              A.NAVIGATE: "system_button", A.SCROLL: "swipe", A.WAIT: "wait"}  # fmt: skip


def _near_in_view(across: float, down: float, seen: Extent) -> bool:
    return sqrt((across * seen[0]) ** 2 + (down * seen[1]) ** 2) <= 0.04 * max(seen)


def _near_in_unit(across: float, down: float, _: Extent) -> bool:
    return sqrt(across * across + down * down) <= 0.04


Near = Callable[[float, float, Extent], bool]


def _qwen(near: Near, answer: ReadStep, gold: StepGold, *, any_swipe: bool) -> Value:
    fields = qwen.call_arguments(text_in(qwen.INFIGUI_QWEN, answer, gold.image_size))
    action, name = gold.action, QWEN_NAMES.get(gold.action.type)
    if name is None or fields is None:
        raise PublishedCrashError

    def seen_size() -> Extent:
        seen = VIEW.extent(screen_of(gold))
        if seen is None:
            raise UnjudgeableError("no image of this shape can be resized for the model")
        return seen

    def point(field: str = "coordinate") -> Point:
        seen, pair = seen_size(), qwen.sides(fields, field)
        if pair is None:
            raise PublishedCrashError
        return pair[0] / seen[0], pair[1] / seen[1]

    def hits(target: Point | None) -> bool:
        (width, height), seen = screen_of(gold), seen_size()
        boxes = [(b[0] / width, b[1] / height, b[2] / width, b[3] / height) for b in gold.boxes]
        at = point()
        if taps.in_any(at, [taps.enlarged(box, 1.2) for box in boxes]):
            return True
        if target is None:
            left, top, right, bottom = boxes[0]
            x, y = (left + right) / 2, (top + bottom) / 2
        else:
            x, y = target[0] / width, target[1] / height
        return near(x - at[0], y - at[1], seen)

    def said(field: str) -> str:
        text = fields.get(field)
        if not isinstance(text, str):
            raise PublishedCrashError
        return text

    for field in fields.keys() & {"coordinate", "coordinate2"} if gold.image_size else ():
        point(field)  # every coordinate is divided, whatever the actions are
    if fields["action"] != name:
        opens = name == "open" and fields["action"] == "click" and gold.boxes
        return _scored(hits(None)) if opens else WRONG
    match action.type:
        case A.CLICK | A.LONG_PRESS:
            return _scored(hits(action.point))
        case A.TYPE | A.OPEN_APP:
            return _scored(rules.contains(said("text"), action.text or action.app))
        case A.NAVIGATE:
            return _scored(said("button").lower().strip() == action.button.lower().strip())
        case A.SCROLL if not any_swipe:
            # Where the finger goes is held against where the content leads: opposites.
            return _scored(swiped(point(), point("coordinate2")).opposite is action.direction)
        case _:
            return RIGHT


_strict_qwen = rules.published(partial(_qwen, _near_in_view, any_swipe=False))
_ui_s1 = rules.published(partial(_qwen, _near_in_unit, any_swipe=True))


def _qwen_rule(answer: ReadStep, gold: StepGold) -> Value:
    """What raises is a wrong step of a wrong type."""
    try:
        return _strict_qwen(answer, gold)
    except PublishedCrashError:
        return WRONG


def _by_finger(gold: StepGold) -> Sequence[object]:
    if way := gold.action.direction:
        gold = msgspec.structs.replace(gold, action=Action(A.SCROLL, direction=way.opposite))
    return steps.writes_step(qwen.INFIGUI_QWEN)(gold)


def _is_clicked(answer: AnswerValue | None, gold: StepGold, _: Value) -> bool:
    return answer is not None and rules.is_click(answer, gold, _)


def _clicked_right(answer: AnswerValue | None, _: StepGold, value: Value) -> bool:
    return answer is not None and answer.action.type is A.CLICK and value[0] == 1


# ---- OS-Atlas: a click within 14 % of the screen, and first words of texts ---------------------


@rules.published
def _os_atlas_rule(answer: ReadStep, gold: StepGold) -> Value:
    size = gold.image_size
    given = os_atlas.written_after_marker(text_in(os_atlas.OS_ATLAS, answer, size)) or ""
    reference = os_atlas.written(steps.in_space(gold.action, PIXELS, THOUSAND, size)) or ""
    tokens, expected = given.split(), reference.split()
    if not expected:
        raise UnjudgeableError(f"OS-Atlas has no action {gold.action.type.value}")
    if not tokens:
        raise PublishedCrashError
    if tokens[0] != expected[0]:
        return WRONG
    if gold.action.type in rules.TAPS:
        try:
            numbers = os_atlas.runs_of_digits(given, 2)
        except ValueError:
            return KIND
        return _scored(len(numbers) == 2 and rules.within_140(numbers, reference))
    if given == reference or gold.action.type not in (A.TYPE, A.OPEN_APP):
        return _scored(given == reference)
    if len(tokens) < 2 or len(expected) < 2:
        raise PublishedCrashError
    # The second words alone are compared, so that the first word of a text decides.
    return _scored(rules.words_f1(tokens[1].lower().split(), expected[1].lower().split()) > 0.5)


def _os_atlas_crash(text: str) -> str:
    after = os_atlas.written_after_marker(text)
    said = after is None or after.split()
    return "" if said else "nothing after the marker: the published code raises"


# ---- by the screen's accessibility nodes: AgentCPM-GUI, _guievalkit, UGround --------------------

STOPS = (A.WAIT, A.FINISH)


def _nodes_of(gold: StepGold) -> Sequence[Node]:
    """Return the nodes of a step's screen."""
    if gold.nodes is None:
        raise UnjudgeableError(
            "the click's tolerance rests on the screen's accessibility nodes, which this data does"
            " not have"
        )
    return gold.nodes


def _in_nodes(answer: ReadStep, gold: StepGold) -> bool:
    nodes, size = _nodes_of(gold), gold.image_size
    point, target = answer.at(UNIT, size), steps.moved(gold.action.point, PIXELS, UNIT, size)
    if point is None or target is None:
        return False
    if rules.apart(point, target) <= 0.04:
        return True
    width, height = screen_of(gold)
    boxes = [(b[0] / width, b[1] / height, b[2] / width, b[3] / height)
             for b in (node.box for node in nodes)]  # fmt: skip
    return taps.in_nearest(point, target, [taps.pushed_in(box, 1.2) for box in boxes])


def _guievalkit(answer: ReadStep, gold: StepGold, kind: A | None = None) -> Value:
    given, action = answer.action, gold.action
    kind = kind or action.type
    if rules.pressed(given.type) is not rules.pressed(kind):
        return WRONG
    match kind:
        case A.CLICK | A.LONG_PRESS:
            return _scored(_in_nodes(answer, gold))
        case A.TYPE:
            return _scored(rules.contains(given.text, action.text))
        case A.OPEN_APP:
            return _scored(rules.contains(given.app, action.app))
        case A.SCROLL:
            return _scored(given.direction is action.direction)
        case A.NAVIGATE | A.KEY:
            return _scored(given.button == action.button)
        case _:
            return RIGHT


def _agentcpm_rule(answer: ReadStep, gold: StepGold) -> Value:
    if gold.action.type in STOPS:
        return RIGHT if answer.action.type in STOPS else WRONG
    return _guievalkit(answer, gold, A.CLICK if gold.action.type is A.LONG_PRESS else None)


@rules.published
def _uground_rule(answer: ReadStep, gold: StepGold) -> Value:
    plan = json_fields(text_in(uground.UGROUND, answer, gold.image_size))
    expected, target = uground.plan_of(gold.action), gold.action.point
    if expected is None:
        raise UnjudgeableError(f"UGround has no action {gold.action.type.value}")
    if plan is None or "action_type" not in plan:
        raise PublishedCrashError
    kind, wanted = plan["action_type"], expected["action_type"]

    def under(point: Point) -> Node | None:
        nodes = _nodes_of(gold)
        index = taps.smallest_around(point, [node.box for node in nodes])
        return None if index is None else nodes[index]

    kinds = {kind, wanted} if isinstance(kind, str) else set[object]()
    if kinds in ({"click", "open_app"}, {"click", "navigate_back"}):
        # A reference that is a click names no app, and every text holds an empty one.
        name = str(expected.get("app_name", "")) if "open_app" in kinds else "back"
        node = under(uground.point_of(plan))
        texts = () if node is None else (node.text.lower(), node.description.lower())
        return RIGHT if any(text and name.lower() in text for text in texts) else WRONG
    if kind != wanted:
        return WRONG
    if kind not in ("click", "long_press", "type_text") or target is None:
        return _scored(all(plan.get(key) == value for key, value in expected.items()))
    point, node = uground.point_of(plan), under(target)
    if node is None or not taps.in_any(point, [node.box]):
        return KIND
    if gold.action.type is A.TYPE and "text" not in plan:
        raise PublishedCrashError
    return _scored(gold.action.type is not A.TYPE or plan["text"] == gold.action.text)


def _uground_crash(text: str) -> str:
    plan = json_fields(text)
    known = plan is not None and "action_type" in plan
    return "" if known else "no action_type: the published code raises"


# ---- UI-R1: five actions by name, and clicks near on a screen that is 1080 wide ----------------

NAMES = {"open_app": A.OPEN_APP, "click": A.CLICK, "scroll": A.SCROLL, "input_text": A.TYPE,
         "navigate_back": A.NAVIGATE}  # fmt: skip
ACROSS, DOWN = 1080 / 644, 2400 / 1484
"""What the image is taken to be resized from and to, whatever it is."""


def _scaled_point(text: str) -> tuple[int, int] | None:
    """The first two whole numbers of a text, scaled by constants. Source: UI-R1 2fe9bf0."""
    numbers = [int(found[0]) for found in islice(re.finditer(r"\d+", text), 2)]
    return (int(ACROSS * numbers[0]), int(DOWN * numbers[1])) if len(numbers) == 2 else None


def _read_ui_r1(text: str) -> Action | None:
    """The last of the five names, in their order, that stands anywhere in the text."""
    kinds = [kind for name, kind in NAMES.items() if name in text]
    if not kinds:
        return None
    way = re.search(r"'(up|down|left|right)'", text)
    typed = re.search(r"(?s)'text': ['\"](.{0,2000}?)['\"], 'action'", text)
    said, kind, point = typed[1] if typed else "", kinds[-1], None
    if kind is A.CLICK:
        try:
            point = (found := _scaled_point(text)) and (float(found[0]), float(found[1]))
        except (ValueError, OverflowError):
            point = None
    return Action(
        kind,
        point=point,
        direction=direction_of(way[1]) if kind is A.SCROLL and way else None,
        text=said if kind is A.TYPE else "",
        app=said if kind is A.OPEN_APP else "",
        button="back" if kind is A.NAVIGATE else "",
    )


def _write_ui_r1(action: Action) -> str | None:
    name = next((name for name, kind in NAMES.items() if kind is action.type), None)
    if name is None:
        return None
    if name == "navigate_back" and action.button != "back":
        return None
    said = action.text or action.app
    fields = f"'text': {said!r}, 'action': '{name}'" if said else f"'action': '{name}'"
    if name == "click":
        if action.point is None:
            return None
        x, y = round(action.point[0] / ACROSS), round(action.point[1] / DOWN)
        fields += f", 'coordinate': [{x}, {y}]"
    elif action.direction:
        fields += f", 'direction': '{action.direction}'"
    return f"<answer>[{{{fields}}}]</answer>"


UI_R1 = Vocabulary("ui-r1", PIXELS, _read_ui_r1, _write_ui_r1, "UI-R1 2fe9bf0")


@rules.published
def _ui_r1(answer: ReadStep, gold: StepGold) -> Value:
    same = answer.action.type is gold.action.type
    if gold.action.type is not A.CLICK or not same:
        return 0.0, float(same)
    point, target = _scaled_point(text_in(UI_R1, answer, gold.image_size)), gold.action.point
    # A coordinate of 0 is taken for none.
    return _scored(point and target and all(point) and rules.apart(point, target) < 1080 * 0.14)


# ---- ScreenSuite: a click graded by its distance -----------------------------------------------

CALLED = {A.CLICK: "click", A.LONG_PRESS: "click", A.TYPE: "type", A.SCROLL: "scroll",
          A.WAIT: "wait"}  # fmt: skip


def _screensuite_rule(answer: ReadStep, gold: StepGold) -> Value:
    text, action = text_in(screensuite.SCREENSUITE, answer, gold.image_size), gold.action
    # References such as open_app keep their underscore, which no answer has.
    if screensuite.called(text).replace("longpress", "click") != CALLED.get(action.type):
        return WRONG
    match action.type:
        case A.CLICK | A.LONG_PRESS:
            at = screensuite.clicked_at(text)
            at = at and rules.on_screen(at, screen_of(gold))
            if at is None or action.point is None:
                return KIND
            aim = rules.on_screen(action.point, screen_of(gold))
            if aim is None:
                raise PublishedCrashError
            square = (at[0] - aim[0]) ** 2 + (at[1] - aim[1]) ** 2
            return max(0.0, 1 - 2 * sqrt(square / 2)), 1.0
        case A.TYPE:
            return _scored(screensuite.typed_text(text) == action.text.lower())
        case A.SCROLL:
            _, *inside = text.lower().split("(", 2)
            if not inside:
                raise PublishedCrashError
            return _scored((action.direction or "") in inside[0])
        case _:
            return RIGHT


# ---- the table ---------------------------------------------------------------------------------

STOP = Denominator("one item that raises ends the run", stops_on_crash=True)


# The references of scrolls changed with version 3, which is in no rule.
rule = partial(rules.rule, task=HIGH, version=3)
CALL = qwen.INFIGUI_QWEN
NO_CALL = "no call in it: the published code raises"
RULES = (
    replace(robust_steps(HIGH), version=3),
    rule("qwen", "InfiGUI-R1 d280ab8, after the file that Qwen posted for Qwen2.5-VL (its issue"
         " 904)", "a click in a candidate box enlarged 1.2 times, or within 4 % of the longer side;"
         " text by containment, so that an empty one matches all; a click for `open` counts where"
         " boxes are known; a swipe is right if the finger moves as the file's direction says,"
         " which is where the content leads", "the call after <tool_call>, or a bare one", CALL,
         "boxes x 1.2 or 4 % of the longer side; text contains; swipes by the finger's axis",
         _qwen_rule, rules.share(_strict_qwen, _is_clicked, _clicked_right), ("grounding",),
         read=qwen.read_call, write=_by_finger),
    rule("os-atlas", "OS-Atlas bad0840, the evaluation of AndroidControl; UI-TARS and UI-R1 say the"
         " same rule", "a click within 14 % of the screen, whatever its shape; typed text and apps"
         " are compared by their first word; an empty answer ends the run",
         "OS-Atlas's, after `actions:`", os_atlas.OS_ATLAS,
         "within 140 thousandths; the first words; else equal text", _os_atlas_rule,
         rules.share(_os_atlas_rule, lambda a, g, v: rules.is_click(a, g, v) and v[1] == 1,
                     lambda a, g, v: rules.is_click(a, g, v) and v[0] == 1), ("grounding",), STOP,
         _os_atlas_crash),
    replace(GUI_R1, version=3),
    rule("agentcpm", "AgentCPM-GUI acbaf50, --eval_android_control", "a click in one of the five"
         " nodes nearest to the target, enlarged 1.2 times, or within 4 %; open_app is dropped, a"
         " long press is a click, wait and finish are one", "AgentCPM-GUI's JSON, by its schema",
         agentcpm.AGENTCPM, "the five nearest nodes x 1.2 or 4 % in fractions; text contains",
         _agentcpm_rule, rules.by_episode(_agentcpm_rule), rules.EPISODES,
         Denominator("drops open_app and steps without an answer", drops=rules.ABSENT,
                     keep=rules.drops(lambda gold: gold.action.type is A.OPEN_APP))),
    rule("guievalkit", "guievalkit d5e954e, androidcontrol", "as `agentcpm`, but apps by"
         " containment, wait and finish apart, long presses kept; an answer that is none of its"
         " eight actions leaves every denominator", "guievalkit's JSON", agentcpm.GUIEVALKIT,
         "the five nearest nodes x 1.2 or 4 % in fractions; text and apps contain", _guievalkit,
         rules.by_episode(_guievalkit, unread_loses=True, holes_lose=True), rules.EPISODES,
         Denominator("drops answers that are no action, and steps without one",
                     drops=rules.ABSENT | rules.UNREAD)),
    rule("uground", "UGround 3a9b9f2, the evaluation of AndroidControl on 500 steps", "a click in"
         " the smallest accessibility node around the target; typed text equal; a click on an app's"
         " name stands for opening it, and opening any app for a click on any text",
         "a planner's JSON and a grounder's `(x, y)`", uground.UGROUND, "the smallest node around"
         " the target; every field equal; app and back by their names", _uground_rule, over=STOP,
         crashes=_uground_crash),
    rule("ui-s1", "UI-S1 (X-PLUG MobileAgent 11cea57)", "as `qwen`, but 4 % in fractions along each"
         " axis, and every swipe is right; an episode stops at its first miss; a step that ends the"
         " task raises, which loses its episode", "the call after <tool_call>; without one it"
         " raises", CALL, "boxes x 1.2 or 4 % in fractions; text contains; any swipe", _ui_s1,
         rules.by_episode(_ui_s1, unread_loses=True), rules.EPISODES,
         crashes=lambda text: "" if qwen.call_arguments(text) else NO_CALL, read=qwen.read_call,
         write=_by_finger),
    rule("ui-r1", "UI-R1 2fe9bf0, the evaluation of AndroidControl", "only clicks can be right:"
         " nearer than 151.2 pixels, with coordinates scaled by constants; the action is the last"
         " of five names, in a fixed order, that the text contains", "the last of five names, and"
         " the first two whole numbers", UI_R1, "clicks nearer than 151.2 pixels", _ui_r1,
         over=Denominator("the clicks; one item that raises ends the run", stops_on_crash=True,
                          keep=rules.drops(lambda gold: gold.action.type is not A.CLICK))),
    rule("screensuite", "ScreenSuite 0.0.1, android_control (the low level alone)", "a click is"
         " graded by its distance; open_app, navigate_back and navigate_home are always wrong;"
         " steps without an answer are dropped", "ScreenSuite's `click(x, y)`",
         screensuite.SCREENSUITE, "1 - 2 x the root mean square distance; text equal in lower case",
         _screensuite_rule, over=Denominator("drops failed responses; one item that raises ends the"
         " run", drops=rules.ABSENT, stops_on_crash=True)),
)  # fmt: skip
PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    task: tuple(replace(protocol, task=task) for protocol in RULES) for task in (HIGH, LOW)
}
GOLDS: Mapping[str, GoldShape] = {HIGH: STEP, LOW: STEP}
