"""What several files of tests use."""

import subprocess
from pathlib import Path

import pytest
from processes import AF


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a demo: `buckets/` and `chain.json`."""
    out = tmp_path_factory.mktemp("demo") / "out"
    words = [*AF, "demo", "--seed", "7", "--out", str(out)]
    subprocess.run(words, check=True, capture_output=True)
    return out
