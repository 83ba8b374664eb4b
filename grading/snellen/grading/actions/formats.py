"""The formats that models write actions and points in, and what their coordinates count."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from snellen.grading.coordinates import (
    HUNDRED,
    PIXELS,
    THOUSAND,
    UNIT,
    VIEW,
    CoordinateSpace,
)
from snellen.grading.errors import UnknownNameError
from snellen.grading.models.actions import Point


@dataclass(frozen=True, slots=True)
class Format:
    """How one family of models writes actions and points.

    Attributes:
        name: What an answer declares: {"format": name, "response": ...}.
        space: What its coordinates count.
        models: Whose it is.
        example: A click in it, at (540, 1200) of 1080 x 2400 pixels or nearby.
        above_one: What its coordinates count where one is above 1; None: `space`, always.
        y_first: Whether points and boxes in JSON have y first.
        finger: Whether a `scroll` says where the finger goes.
        factors: By what x and y are multiplied, whatever the image's size.
        aliases: Other names that it is declared by.
    """

    name: str
    space: CoordinateSpace
    models: str
    example: object
    above_one: CoordinateSpace | None = None
    y_first: bool = False
    finger: bool = False
    factors: Point = (1.0, 1.0)
    aliases: tuple[str, ...] = ()

    def counts(self, *points: Point | None) -> CoordinateSpace:
        """Return what coordinates count that were written in the format."""
        above = any(side > 1 for point in points if point for side in point)
        return self.above_one if above and self.above_one is not None else self.space


def _tool_call(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


_CLICK = '{"action": "click", "coordinate": [%s]}'
_FORMATS = (
    Format("qwen", VIEW, "Qwen2-VL, Qwen2.5-VL", _tool_call("mobile_use", _CLICK % "546, 1204"),
           aliases=("qwen2.5-vl", "qwen2-vl", "qwen25vl")),
    Format("qwen3-vl", THOUSAND, "Qwen3-VL", _tool_call("mobile_use", _CLICK % "500, 500"),
           aliases=("qwen3", "qwen3vl", "qwen3.5", "gui-owl-1.5")),
    Format("gui-owl", VIEW, "GUI-Owl, Mobile-Agent-v3",
           _tool_call("mobile_use", _CLICK % "546, 1204") + "\n<conclusion>\nDone.\n</conclusion>",
           aliases=("mobile-agent", "mobile-agent-v3")),
    Format("mai-ui", THOUSAND, "MAI-UI",
           "<thinking>x</thinking>\n" + _tool_call("mobile_use", _CLICK % "500, 500")),
    Format("ui-tars", THOUSAND, "UI-TARS 1", "Thought: x\nAction: click(start_box='(500,500)')",
           aliases=("ui-tars-1", "ui-tars-1.0")),
    Format("ui-tars-1.5", VIEW, "UI-TARS 1.5", "Thought: x\nAction: click(start_box='(546,1204)')"),
    Format("ui-tars-2", THOUSAND, "UI-TARS 2, Doubao-1.5-UI-TARS",
           "Thought: x\nAction: click(point='<point>500 500</point>')"),
    Format("seed", THOUSAND, "Seed1.5-VL, Seed-1.6, Seed-1.8",
           '<seed:tool_call><function name="click"><parameter name="point"><point>500 500</point>'
           "</parameter></function></seed:tool_call>",
           aliases=("seed1.5-vl", "seed-1.6", "seed1.8", "doubao")),
    Format("glm-4.1v", THOUSAND, "GLM-4.1V-Thinking",
           '<answer>{"action_type": "click", "box_2d": [[495,495,505,505]]}</answer>'),
    Format("glm-4.5v", THOUSAND, "GLM-4.5V, GLM-4.6V",
           "Action:\n<|begin_of_box|>left_click(start_box='[500,500]', element_info='OK')"
           "<|end_of_box|>", aliases=("glm-4.6v", "glm")),
    Format("internvl", UNIT, "InternVL3.5", "<action>\nclick(x=0.5, y=0.5)\n</action>", VIEW,
           aliases=("internvl3.5", "internvl3")),
    Format("scalecua", UNIT, "ScaleCUA", "<action>\nclick(x=546, y=1204)\n</action>", VIEW),
    Format("claude", PIXELS, "Claude's computer use",
           {"type": "tool_use", "id": "toolu_1", "name": "computer",
            "input": {"action": "left_click", "coordinate": [540, 1200]}},
           aliases=("anthropic",)),
    Format("openai", PIXELS, "OpenAI's computer use",
           {"type": "computer_call", "call_id": "call_1",
            "action": {"type": "click", "button": "left", "x": 540, "y": 1200}},
           aliases=("gpt", "computer-use-preview")),
    Format("gemini", THOUSAND, "Gemini's computer use; its points and boxes have y first",
           {"functionCall": {"name": "click_at", "args": {"x": 500, "y": 500}}}, y_first=True),
    Format("holo", VIEW, "Holo1, Holo1.5",
           '{"thought": "x", "action": {"action": "click_element", "element": "OK", "x": 546,'
           ' "y": 1204}}', aliases=("holo1", "holo1.5")),
    Format("holo2", THOUSAND, "Holo2", '{"action": "click_element", "x": 500, "y": 500}'),
    Format("ui-venus", VIEW, "UI-Venus",
           "<think>x</think><action>Click(box=(546, 1204))</action><conclusion>c</conclusion>"),
    Format("ui-venus-1.5", THOUSAND, "UI-Venus 1.5",
           "<think>x</think><action>Click(box=(500, 500))</action><conclusion>c</conclusion>"),
    Format("opencua", UNIT, "OpenCUA",
           "## Code:\n```python\npyautogui.click(x=546, y=1204)\n```", VIEW),
    Format("pyautogui", UNIT, "Aguvis", "pyautogui.click(x=0.5, y=0.5)", aliases=("aguvis",)),
    Format("kimi-vl", UNIT, "Kimi-VL", "## Code:\n```python\npyautogui.click(x=0.5, y=0.5)\n```",
           aliases=("kimi",)),
    Format("os-atlas", THOUSAND, "OS-Atlas", "actions:\nCLICK <point>[[500,500]]</point>"),
    Format("agentcpm", THOUSAND, "AgentCPM-GUI", '{"thought":"x","POINT":[500,500]}',
           aliases=("agentcpm-gui",)),
    Format("guievalkit", THOUSAND, "guievalkit", '{"POINT":[500,500]}'),
    Format("gui-r1", VIEW, "GUI-R1",
           "<answer>[{'action': 'click', 'point': [546, 1204], 'input_text': 'no input text'}]"
           "</answer>"),
    Format("androidworld", PIXELS, "M3A and AndroidWorld, AndroidControl's own JSON",
           'Reason: x\nAction: {"action_type": "click", "x": 540, "y": 1200}',
           aliases=("m3a", "android-world", "androidcontrol")),
    Format("mimo-vl", PIXELS, "MiMo-VL", '{"action": "click", "start_point": [540, 1200]}',
           aliases=("mimo",)),
    Format("step-gui", THOUSAND, "Step-GUI", "explain:c\taction:CLICK\tpoint:500,500\tsummary:s"),
    Format("autoglm", THOUSAND, "AutoGLM-Phone",
           '<think>x</think><answer>do(action="Tap", element=[500,500])</answer>',
           aliases=("open-autoglm",)),
    Format("cogagent", THOUSAND, "CogAgent",
           "Grounded Operation: CLICK(box=[[495,495,505,505]], element_info='OK')"),
    Format("ui-r1", PIXELS, "UI-R1; pixels of an image of 644 x 1484",
           "<answer>[{'action': 'click', 'coordinate': [322, 742]}]</answer>",
           factors=(1080 / 644, 2400 / 1484)),
    Format("uground", PIXELS, "UGround with a planner",
           '{"action_type": "click", "grounding": "(540, 1200)"}'),
    Format("screensuite", PIXELS, "ScreenSuite", "click(540, 1200)"),
    Format("screensuite-web", PIXELS, "ScreenSuite on Mind2Web", "click(540, 1200)"),
    Format("uground-web", PIXELS, "UGround on Mind2Web",
           '{"action": "CLICK", "value": "None", "grounding": "(540, 1200)"}'),
    Format("seeclick", UNIT, "SeeClick", '{"action_type": 4, "click_point": (0.5, 0.5)}'),
    Format("showui", UNIT, "ShowUI", "{'action': 'CLICK', 'value': None, 'position': [0.5, 0.5]}"),
    Format("gui-odyssey", THOUSAND, "GUI-Odyssey", "CLICK: (500, 500)", finger=True,
           aliases=("odyssey",)),
    Format("coat", THOUSAND, "CoAT's prompts for AITZ",
           '{"ACTION": "click_element", "ARGS": {"bbox": [495, 495, 505, 505]}}', finger=True,
           aliases=("aitz",)),
    Format("molmo", HUNDRED, "Molmo; points only",
           '<point x="50.0" y="50.0" alt="OK">OK</point>'),
    Format("plain", PIXELS, "snellen's own; says its space in `space`",
           {"action": "click", "x": 540, "y": 1200}),
)  # fmt: skip

FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in _FORMATS})
"""Every format by its name."""

_BY_ALIAS = {alias: each for each in _FORMATS for alias in (each.name, *each.aliases)}


def format_of(name: str) -> Format:
    """Return a format by its name or an alias, in any case.

    Raises:
        UnknownNameError: There is none.

    >>> format_of("Qwen2.5-VL").name
    'qwen'
    """
    try:
        return _BY_ALIAS[name.strip().lower().replace("_", "-").replace(" ", "-")]
    except KeyError:
        raise UnknownNameError("format", name, FORMATS) from None
