"""Runs the verifiers in Python and in TypeScript on the same data, and compares their results."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from vectors import ROOT, unpack

VERIFIER = ROOT / "apps" / "verifier" / "dist" / "cli.js"
pytestmark = pytest.mark.skipif(not VERIFIER.exists(), reason="af-verify is not built")

# fmt: off
LANE_CODES = {
    "MISSING_BLOCK", "BAD_LINES", "BAD_HEADER", "BAD_SAMPLE", "WRONG_HASH", "WRONG_SIGNATURE",
    "WRONG_ROOT", "WRONG_SCOPE", "WRONG_HEIGHT", "WRONG_PREVIOUS", "SHORT_BLOCK", "WRONG_SECRET",
    "MISSING_INDEX", "WRONG_CHALLENGE", "REPEATED_INVOCATION", "PROMPT_DIFFERS", "NOT_NORMALISED",
    "WRONG_ROLE", "TOO_SHORT", "TOO_LONG", "WRONG_FAULT", "WRONG_REWARD",
}
# fmt: on
"""The codes of §6.5, which have no order: two readers may report different codes of a lane."""

Findings = set[tuple[str, int, str]]
"""Validator, epoch and code, with `LANE` for every code of §6.5."""


def findings_of(words: Iterable[str]) -> tuple[int, list[str], Findings, Findings]:
    """Returns a verifier's exit code, the roots, the flaws and the warnings."""
    run = subprocess.run([*words], capture_output=True, text=True)
    assert run.returncode in (0, 1, 2, 4), run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    roots = [line["root"] for line in lines if line["type"] in ("begin", "epoch")]
    flaws, warnings = (
        {
            (
                line["validator"],
                line["epoch"],
                "LANE" if line["code"] in LANE_CODES else line["code"],
            )
            for line in lines
            if line["type"] == kind
        }
        for kind in ("flaw", "warning")
    )
    return run.returncode, roots, flaws, warnings


def agreed(history: Path, *options: str) -> tuple[int, list[str], Findings, Findings]:
    """Runs both verifiers on a history. Asserts that their results are equal, and returns one."""
    network = str(history / "chain.jsonl")
    words = [str(history / "buckets"), "--network", network, "--json", *options]
    first = findings_of(["node", str(VERIFIER), *words])
    second = findings_of([sys.executable, "-m", "affine_verify.main", *words])
    assert first == second
    return first


def test_agree_from_any_epoch(tmp_path: Path) -> None:
    unpack("an-empty-bucket", tmp_path)
    code, roots, flaws, warnings = agreed(tmp_path)
    assert (code, len(roots), len(flaws)) == (1, 4, 2)
    assert agreed(tmp_path, "--from-epoch", "2") == (1, roots[2:], flaws, warnings)
    assert agreed(tmp_path, "--from-epoch", "3") == (2, [], set(), set())
