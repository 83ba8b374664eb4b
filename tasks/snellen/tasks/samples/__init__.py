"""The sample that ships: twelve questions on stand-in screens, to try an exam without any data.

The questions are ScreenQA's, the screens are drawn from Screen Annotation's layouts (both Google
Research, CC BY 4.0). A score on it is no score of a benchmark, and its references lie open.
"""

from pathlib import Path


def sample_pack() -> Path:
    """Return the folder of the sample's pack."""
    return Path(__file__).with_name("screens")
