"""The packs that ship, to try an exam without any data; their references lie open.

`screens` has twelve ScreenQA questions on stand-in screens, so that an agent's first exam takes it
minutes. The questions are ScreenQA's, the screens are drawn from Screen Annotation's layouts (both
Google Research, CC BY 4.0). `exam` has 144 items of every task that needs no interaction;
`snellen build` made it of sites that it generated. A score on either is no score of a benchmark.
"""

from pathlib import Path


def sample_pack() -> Path:
    """Return the folder of the twelve questions."""
    return Path(__file__).with_name("screens")


def sample_exam() -> Path:
    """Return the folder of the sample exam."""
    return Path(__file__).with_name("exam")
