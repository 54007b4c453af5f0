"""Environments of other packages, which the registry finds by their entry points."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

OWN = """
from affine_envs.mult8 import Mult8


class Own(Mult8):
    id = "own@0.1.0"
"""
PLAY = """
import own, affine_envs, gymnasium
assert gymnasium.make("affine/own-v0").unwrapped.game.id == "own@0.1.0"
assert affine_envs.spec_hash("own-v0") != affine_envs.spec_hash("mult8-v0")
"""


def run(folder: Path, entry: str, program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program with a package that has this entry point."""
    info = folder / "own-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[affine_envs]\n{entry}\n")
    (folder / "own.py").write_text(OWN)
    env = {**os.environ, "PYTHONPATH": str(folder)}
    words = [sys.executable, "-c", program]
    return subprocess.run(words, capture_output=True, text=True, env=env, check=False)


def test_an_entry_point_is_an_environment(tmp_path: Path) -> None:
    played = run(tmp_path, "own@0.1.0 = own:Own", PLAY)
    assert (played.returncode, played.stderr) == (0, "")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("own@0.1.0 = own:Missing", "cannot be loaded: AttributeError"),
        ("own@0.1.0 = nowhere:Own", "cannot be loaded: ModuleNotFoundError"),
        ("other@0.1.0 = own:Own", "expected a Game with this id"),
        ("mult8@0.1.0 = own:Own", "this environment exists"),
    ],
)
def test_a_faulty_entry_point_is_refused(tmp_path: Path, entry: str, reason: str) -> None:
    id = entry.split(" ")[0]
    program = f"from affine_envs.registry import game_of\ngame_of({id!r})"
    refused = run(tmp_path, entry, program)
    assert refused.returncode == 1
    assert f"ValueError: the entry point {id!r}" in refused.stderr
    assert reason in refused.stderr
