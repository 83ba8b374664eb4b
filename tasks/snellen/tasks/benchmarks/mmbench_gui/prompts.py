"""How MMBench-GUI's four levels can be asked, by name."""

from snellen.grading.models.geometry import Space
from snellen.tasks.prompts import Prompt

_PUBLISHED = "github.com/open-compass/MMBench-GUI, benchmarks/"

L1_PROMPTS = (
    Prompt(
        "snellen-mmbench-gui-l1-1",
        "You see a screenshot. Answer the question by choosing one of the options. Reply with the"
        " letter of that option alone.",
    ),
    # The published system message and user message, one below the other.
    Prompt(
        "mmbench-gui-official-l1",
        "You are a GUI agent. You are given a screenshot of an application, a question and"
        " corresponding options. You need to choose one option as your answer for the question."
        " Finally, you are ONLY allowed to return the single letter of your choice.\n",
        "Question: {question}\nPlease select the correct answer from the options above. \n",
        source=f"{_PUBLISHED}l1_content_understanding.py (system and user message)",
    ),
)
"""The question is followed by `Options:` and the options, one a line with their letters."""

_POINT = (
    "You see a screenshot. Point at the one element of the user interface that the instruction"
    " means. Reply with the point (x, y) alone, x from the left and y from the top,"
)

L2_PROMPTS = (
    Prompt(
        "snellen-mmbench-gui-l2-unit-1",
        f"{_POINT} in fractions of the image's width and height from 0 to 1, with at least four"
        " decimals.",
        "\n\nInstruction: {question}",
    ),
    Prompt(
        "snellen-mmbench-gui-l2-pixels-1",
        f"{_POINT} in pixels of the original image",
        "\n\nInstruction: {question}",
    ),
    Prompt(
        "mmbench-gui-official-l2",
        "You are a GUI agent. You are given a task and a screenshot of the screen. You need to"
        " finish this task following instructions from users.\n",
        "Output only the coordinate (x,y) of one point in your response. What element matches the"
        " following task: {question}",
        source=f"{_PUBLISHED}l2_element_grounding.py (system and user message)",
    ),
)
"""The published prompt does not say what the numbers count."""

L2_SPACES = {
    "snellen-mmbench-gui-l2-unit-1": Space.UNIT,
    "snellen-mmbench-gui-l2-pixels-1": Space.PIXELS,
    "mmbench-gui-official-l2": None,
}
"""What the numbers count in the answer to each prompt; None where it does not say."""

EPISODE_PROMPTS = (
    Prompt(
        "snellen-mmbench-gui-online-1",
        "Do the following task. When it is done, or can't be done, say so.",
        "\n\nTask: {question}",
    ),
)
"""No prompt of L3 or L4 was published: what an agent reads there is its environment's."""
