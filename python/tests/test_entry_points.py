"""Environments of other packages, which the registry finds by their entry points."""

import os
import subprocess
import sys
from pathlib import Path

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


def run(folder: Path, entries: str, program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program with a package that has these entry points."""
    info = folder / "own-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[affine_envs]\n{entries}\n")
    (folder / "own.py").write_text(OWN)
    env = {**os.environ, "PYTHONPATH": str(folder)}
    words = [sys.executable, "-c", program]
    return subprocess.run(words, capture_output=True, text=True, env=env, check=False)


def test_an_entry_point_is_an_environment(tmp_path: Path) -> None:
    played = run(tmp_path, "own@0.1.0 = own:Own", PLAY)
    assert (played.returncode, played.stderr) == (0, "")


FAULTY = {
    "missing@0.1.0 = own:Missing": "cannot be loaded: AttributeError",
    "nowhere@0.1.0 = nowhere:Own": "cannot be loaded: ModuleNotFoundError",
    "other@0.1.0 = own:Own": "expected a Game with this id",
    "mult8@0.1.0 = own:Own": "this environment exists",
}
ASK = """
from affine_envs.registry import game_of
for id in {ids}:
    try:
        game_of(id)
    except ValueError as error:
        print(error)
"""


def test_faulty_entry_points_are_refused(tmp_path: Path) -> None:
    ids = [entry.split(" ")[0] for entry in FAULTY]
    refused = run(tmp_path, "\n".join(FAULTY), ASK.format(ids=ids)).stdout.splitlines()
    for id, line, reason in zip(ids, refused, FAULTY.values(), strict=True):
        assert line.startswith(f"the entry point {id!r}")
        assert reason in line
