"""The verifier in Python and the one in TypeScript, on the same data."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from vectors import ROOT
from verify_world import World

VERIFIER = ROOT / "apps" / "verifier" / "dist" / "cli.js"
BUILT = VERIFIER.exists() and (ROOT / "apps" / "validator" / "dist" / "cli.js").exists()
pytestmark = pytest.mark.skipif(not BUILT, reason="af and af-verify are not built")

# fmt: off
LANE_CODES = {
    "MISSING_BLOCK", "BAD_LINES", "BAD_HEADER", "BAD_SAMPLE", "WRONG_HASH", "WRONG_SIGNATURE",
    "WRONG_ROOT", "WRONG_SCOPE", "WRONG_HEIGHT", "WRONG_PREVIOUS", "SHORT_BLOCK", "WRONG_SECRET",
    "MISSING_INDEX", "WRONG_CHALLENGE", "REPEATED_INVOCATION", "PROMPT_DIFFERS", "NOT_NORMALISED",
    "WRONG_ROLE", "TOO_SHORT", "TOO_LONG", "WRONG_FAULT", "WRONG_REWARD",
}
# fmt: on
"""The codes of §6.5, which have no order: two readers may find different ones."""

Findings = set[tuple[str, int, str]]
"""Validator, epoch and kind."""


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


def agreed(buckets: Path, chain: Path, *options: str) -> tuple[int, list[str], Findings, Findings]:
    """Runs both on the same data, and returns what they agree on."""
    words = [str(buckets), "--network", str(chain), "--json", *options]
    first = findings_of(["node", str(VERIFIER), *words])
    second = findings_of([sys.executable, "-m", "affine_verify.main", *words])
    assert first == second
    return first


def blocks_of(buckets: Path, epoch: int) -> list[list[Path]]:
    """Returns the files of each block of an epoch, one in each bucket."""
    names = {file.name for file in buckets.glob("*/v1/blocks/*")}
    blocks = [sorted(buckets.glob(f"*/v1/blocks/{name}")) for name in sorted(names)]
    return [files for files in blocks if f'"epoch":{epoch},' in files[0].read_text()[:200]]


def alter(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-30] ^= 1
    file.write_bytes(data)


def test_agree_on_the_demo_and_altered_copies_of_it_long(demo: Path, tmp_path: Path) -> None:
    code, roots, flaws, warnings = agreed(demo / "buckets", demo / "chain.json")
    assert (code, len(roots), flaws, warnings) == (0, 7, set(), set())
    late = agreed(demo / "buckets", demo / "chain.json", "--from-epoch", "4")
    assert late == (0, roots[4:], set(), set())
    assert agreed(demo / "buckets", demo / "chain.json", "--from-epoch", "6")[0] == 2

    copy = tmp_path / "flaws"
    shutil.copytree(demo / "buckets", copy)
    a, b, c, d, e = sorted(bucket.name for bucket in copy.iterdir())
    alter(blocks_of(copy, 3)[0][0])
    state = copy / b / "v1" / "states" / "4.json"
    state.write_text(state.read_text().replace('"epoch":4', '"epoch":5', 1))
    (copy / c / "v1" / "states" / "3.json").unlink()
    blocks_of(copy, 2)[0][3].unlink()
    shutil.rmtree(copy / e)
    expected = {
        (a, 3, "LANE"),
        (b, 4, "STATE_DIFFERS"),
        (c, 3, "STATE_MISSING"),
        (d, 2, "COPY_MISSING"),
        *((e, epoch, "STATE_MISSING") for epoch in range(1, 6)),
        *((e, epoch, "COPY_MISSING") for epoch in range(2, 5)),
    }
    assert agreed(copy, demo / "chain.json") == (1, roots, expected, set())

    for file in blocks_of(demo / "buckets", 3)[0]:
        (copy / file.relative_to(demo / "buckets")).unlink(missing_ok=True)
    code, found, flaws, _ = agreed(copy, demo / "chain.json")
    assert (code, found) == (1, roots[:4])
    assert flaws == {flaw for flaw in expected if flaw[1] < 3}

    withheld = tmp_path / "withheld"
    shutil.copytree(demo / "buckets", withheld)
    for file in blocks_of(withheld, 3)[0]:
        file.unlink()
    assert agreed(withheld, demo / "chain.json") == (4, roots[:4], set(), set())


Deeds = dict[tuple[str, int], set[str]]
Named = set[tuple[str, int, str]]
WORLDS: dict[str, tuple[Deeds, Named, Named]] = {
    "void lanes, attested without reason": (
        {
            ("a", 2): {"wrong-reward", "attest-all"},
            ("b", 2): {"no-seal", "other-weights"},
            ("c", 2): {"attest-none"},
        },
        {("a", 2, "LANE"), ("a", 2, "NEVER_SEALED")},
        {("b", 2, "OTHER_WEIGHTS"), ("c", 2, "BITS_WITHHELD")},
    ),
    "a lane that no one has, and one signed twice": (
        {
            ("a", 2): {"hidden", "attest-all"},
            ("b", 2): {"signed-again"},
            ("c", 2): {"second-header"},
        },
        {
            ("a", 2, "LANE"),
            ("a", 2, "COPY_MISSING"),
            ("b", 2, "SIGNED_TWICE"),
            ("c", 2, "SIGNED_TWICE"),
        },
        set(),
    ),
    "a wrong root, no bucket, a false state": (
        {
            ("a", 2): {"wrong-root"},
            ("b", 2): {"bad-address"},
            ("c", 1): {"false-state"},
        },
        {
            ("a", 2, "WRONG_ROOT_ATTESTED"),
            ("b", 2, "STATE_MISSING"),
            ("b", 2, "COPY_MISSING"),
            ("c", 1, "STATE_DIFFERS"),
        },
        set(),
    ),
    "a frozen epoch": ({("a", 2): {"no-attest"}, ("b", 2): {"old-epoch"}}, set(), set()),
}


@pytest.mark.parametrize("name", WORLDS)
def test_agree_on_a_network_long(name: str, tmp_path: Path) -> None:
    deeds, flaws, warnings = WORLDS[name]
    world = World(tmp_path, deeds, names="abcde" if flaws else "abcd")
    world.play(3)
    hotkeys = {key.name: key.hotkey for key in world.keys}
    code, roots, *found = agreed(tmp_path / "buckets", tmp_path / "chain.json")
    assert (code, len(roots)) == (1 if flaws else 0, 4)
    for named, each in zip((flaws, warnings), found, strict=True):
        assert each == {(hotkeys[key], *rest) for key, *rest in named}
