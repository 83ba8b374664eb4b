"""What a seed gives: `python tests/frozen/freeze.py generated built` writes it anew."""

from pathlib import Path

import frozen_build
import pytest
import stored


@pytest.mark.slow
def test_a_seed_gives_the_frozen_pages(tmp_path: Path) -> None:
    present = frozen_build.generated(tmp_path)
    assert not (found := stored.differences("generated", present)), found


@pytest.mark.thorough
@pytest.mark.browser
def test_a_seed_gives_the_frozen_pack(tmp_path: Path) -> None:
    here = frozen_build.machine()
    if not any(name.startswith(here) for name in stored.load("built")):
        pytest.skip(f"no pack is stored for {here}: run `python tests/frozen/freeze.py built`")
    present = frozen_build.built(tmp_path)
    assert not (found := stored.differences("built", present, below=here)), found
