"""What a seed gives: `python tests/frozen/freeze.py worlds` writes it anew."""

from pathlib import Path

import frozen_worlds
import pytest
import stored


@pytest.mark.slow
def test_a_seed_gives_the_frozen_interactive_tasks(tmp_path: Path) -> None:
    present = frozen_worlds.packs(tmp_path)
    assert not (found := stored.differences("worlds", present)), found
