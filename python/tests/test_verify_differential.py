"""The verifier in Python and the one in TypeScript, on the same data."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from processes import AF
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

Findings = tuple[int, list[str], set[tuple[str, int, str]]]


def findings_of(words: Iterable[str], name: str) -> Findings:
    """Returns a verifier's exit code, the roots, and the flaws by kind."""
    run = subprocess.run([*words], capture_output=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    roots = [line["root"] for line in lines if line[name] == "epoch"]
    flaws = {
        (line["validator"], line["epoch"], "LANE" if line["code"] in LANE_CODES else line["code"])
        for line in lines
        if line[name] == "flaw"
    }
    assert run.returncode in (0, 1, 4), run.stderr
    return run.returncode, roots, flaws


def agreed(buckets: Path, chain: Path) -> Findings:
    """Runs both on the same data, and returns what they agree on."""
    words = [str(buckets), "--network", str(chain), "--json"]
    first = findings_of(["node", str(VERIFIER), *words], "type")
    second = findings_of([sys.executable, "-m", "affine_verify.main", *words], "kind")
    assert first == second
    return first


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    shutil.rmtree(out)
    words = [*AF, "demo", "--seed", "7", "--out", str(out)]
    subprocess.run(words, check=True, capture_output=True)
    return out


def block_of(buckets: Path, epoch: int) -> tuple[list[Path], str]:
    """Returns the files of one lane's block in all buckets, and its validator."""
    for file in sorted(next(buckets.iterdir()).glob("v1/blocks/*")):
        header = json.loads(file.read_bytes().split(b"\n")[0])
        if header["epoch"] == epoch:
            files = sorted(buckets.glob(f"*/v1/blocks/{file.name}"))
            return files, header["validator"]
    raise AssertionError(f"no block of epoch {epoch}")


def alter(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-30] ^= 1
    file.write_bytes(data)


def alter_one(buckets: Path) -> None:
    alter(block_of(buckets, 3)[0][0])


def falsify_state(buckets: Path) -> None:
    file = next(iter(sorted(buckets.glob("*/v1/states/4.json"))))
    file.write_text(file.read_text().replace('"epoch":4', '"epoch":5', 1))


def remove_state(buckets: Path) -> None:
    next(iter(sorted(buckets.glob("*/v1/states/3.json")))).unlink()


def withhold_copy(buckets: Path) -> None:
    block_of(buckets, 2)[0][0].unlink()


def withhold_lane(buckets: Path) -> None:
    for file in block_of(buckets, 3)[0]:
        file.unlink()


def remove_bucket(buckets: Path) -> None:
    shutil.rmtree(sorted(buckets.iterdir())[0])


Case = tuple[Callable[[Path], None], int, set[str]]
CASES: dict[str, Case] = {
    "an altered block": (alter_one, 1, {"LANE"}),
    "a falsified state": (falsify_state, 1, {"STATE_DIFFERS"}),
    "a missing state": (remove_state, 1, {"STATE_MISSING"}),
    "a missing copy": (withhold_copy, 1, {"COPY_MISSING"}),
    "a withheld lane": (withhold_lane, 4, set()),
    "a removed bucket": (remove_bucket, 1, {"COPY_MISSING", "STATE_MISSING"}),
}


def test_agree_on_the_demo_and_altered_copies_of_it_long(demo: Path, tmp_path: Path) -> None:
    code, roots, flaws = agreed(demo / "buckets", demo / "chain.json")
    assert (code, len(roots), flaws) == (0, 6, set())
    for name, (change, expected, codes) in CASES.items():
        copy = tmp_path / name.replace(" ", "-")
        shutil.copytree(demo / "buckets", copy)
        change(copy)
        code, found, flaws = agreed(copy, demo / "chain.json")
        assert (code, {flaw[2] for flaw in flaws}) == (expected, codes), name
        assert found == roots[: len(found)]


WORLDS: dict[str, tuple[dict[tuple[str, int], set[str]], int]] = {
    "void lanes": ({("a", 2): {"wrong-reward"}, ("b", 2): {"other-secret"}}, 1),
    "lanes attested without reason": (
        {("a", 2): {"no-seal"}, ("b", 2): {"too-long"}, ("c", 2): {"attest-all"}},
        1,
    ),
    "a lane that no one has": ({("a", 2): {"hidden"}, ("b", 2): {"attest-all"}}, 1),
    "a malformed header that all attest": (
        {("a", 2): {"bad-header"}, **{(name, 2): {"attest-all"} for name in "bcde"}},
        1,
    ),
    "signed twice, and a wrong root": ({("a", 2): {"signed-again"}, ("b", 2): {"wrong-root"}}, 1),
    "a frozen epoch": ({("a", 2): {"no-attest"}, ("b", 2): {"old-epoch"}}, 0),
    "no bucket": ({("a", 2): {"bad-address"}, ("b", 1): {"false-state"}}, 1),
}


@pytest.mark.parametrize("name", WORLDS)
def test_agree_on_a_network_long(name: str, tmp_path: Path) -> None:
    deeds, expected = WORLDS[name]
    World(tmp_path, deeds, names="abcde" if expected else "abcd").play(3)
    result: Any = agreed(tmp_path / "buckets", tmp_path / "chain.json")
    assert result[0] == expected
    assert len(result[1]) == 3
