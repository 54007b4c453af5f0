"""Tests the verifier on a small network: proofs, buckets over HTTP, chains and its program."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from vectors import unpack, vectors_of

from affine_envs.canonical_json import canonical_text
from affine_verify import merkle
from affine_verify.buckets import HTTPS, Buckets
from affine_verify.chain import read_chain
from affine_verify.commitments import Attestation
from affine_verify.evidence import PROOF_BYTES, Scope, check_proof, is_full, plan_of
from affine_verify.main import main
from affine_verify.rules import LOCAL
from affine_verify.state import State, first_state
from affine_verify.text import FaultError
from affine_verify.verify import Epoch, recompute


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("a-reward-not-earned", tmp_path_factory.mktemp("history"))


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and redirects `/moved/…` to the same path without `/moved`."""

    def do_GET(self) -> None:
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("location", self.path.removeprefix("/moved"))
            self.end_headers()
        else:
            super().do_GET()

    def do_POST(self) -> None:
        """Answers a request for the chain's log like `af localnet`, with at most 40 blocks."""
        if self.path != "/localnet":
            return self.send_error(501)
        begin = json.loads(self.rfile.read(int(self.headers["content-length"])))["log"]
        first, *blocks = (Path(self.directory) / "chain.jsonl").read_bytes().splitlines(True)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"".join([first, *blocks[begin : begin + 40]]))

    def end_headers(self) -> None:
        if self.path.endswith(".gz"):
            self.send_header("content-encoding", "gzip")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Prints nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def lines_of(output: str, kind: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, output.splitlines()) if line["type"] == kind]


def test_verifies_folders_and_urls_alike(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    buckets, chain = history / "buckets", history / "chain.jsonl"
    assert main([str(buckets), "--network", str(chain), "--json"]) == 1
    output = capsys.readouterr().out
    [want] = [h for h in vectors_of("conformance/histories") if h["what"] == "a reward not earned"]
    [[validator, epoch, code]] = want["want"]["flaws"]
    flaw = {"type": "flaw", "validator": validator, "epoch": epoch, "code": code}
    assert lines_of(output, "flaw") == [flaw]
    assert len(lines_of(output, "epoch")) == 3
    with served(history) as url:
        for network in (f"{url}/chain.jsonl", f"{url}/localnet"):
            assert main([f"{url}/buckets", "--network", network, "--json"]) == 1
            assert capsys.readouterr().out == output
    assert main([str(buckets), "--network", str(chain)]) == 1
    assert "frozen True" in capsys.readouterr().out


def test_warns_of_bits_and_weights(history: Path) -> None:
    chain = read_chain((history / "chain.jsonl").read_bytes())
    buckets = Buckets(str(history / "buckets"))
    state: State = first_state(LOCAL, 0)
    *_, last = recompute(chain, buckets, state)
    assert last.warnings == []
    [liar], [one, other, _] = ({hotkey for hotkey, _ in last.flaws}, last.tallies)
    view = last.ending
    slot, block = view.slots[one]
    assert isinstance(slot, Attestation)
    slots = {**view.slots, one: (slot._replace(bitmap=bytes(16)), block)}
    weights = {liar: {1: 5}, other: {}}
    chain.views[3 * LOCAL["epochBlocks"] - 1] = view._replace(slots=slots, weights=weights)
    found = Epoch(chain, buckets, last.state).warnings
    assert found == [(one, "BITS_WITHHELD"), (liar, "OTHER_WEIGHTS")]


def test_refuses_wrong_usage(history: Path, tmp_path: Path) -> None:
    chain = str(history / "chain.jsonl")
    for words in (
        ["--network", "finney"],
        ["--network", "/nowhere"],
        ["/no", "--network", chain],
        ["--network", chain],
        [str(tmp_path), "--network", chain],
        [str(history / "buckets"), "--network", chain, "--first-epoch", "-1"],
        [str(history / "buckets"), "--network", chain, "--from-epoch", "3"],
    ):
        assert main(words) == 2
    (tmp_path / next((history / "buckets").iterdir()).name).mkdir()
    for words in (["--first-epoch", "3"], ["--from-epoch", "2"]):
        assert main([str(tmp_path), "--network", chain, *words]) == 4
    text = Path(chain).read_text()
    for altered in (text[:-1], text + "\n", text.replace('"nonce":0', '"nonce":9', 1), "{}\n"):
        (tmp_path / "chain").write_text(altered)
        assert main(["--network", str(tmp_path / "chain")]) == 4


def test_reads_buckets_with_limits_and_without_redirects(tmp_path: Path) -> None:
    (tmp_path / "a" / "v1").mkdir(parents=True)
    (tmp_path / "a" / "v1" / "x").write_bytes(b"12345")
    (tmp_path / "a" / "v1" / "x.gz").write_bytes(gzip.compress(b"12345"))
    with served(tmp_path) as url:
        for base in (str(tmp_path), url):
            buckets = Buckets(base)
            assert buckets.read("a", "v1/x", 5) == b"12345"
            assert buckets.read("a", "v1/y", 5) is None
            assert buckets.read("../a", "v1/x", 5) is None
            assert buckets.read("a", "v1/x", 4) is None
            assert buckets.read("a", "v1/x.gz", 5) == (b"12345" if base == url else None)
        assert Buckets(f"{url}/moved").read("a", "v1/x", 5) is None
    assert Buckets(None).read("a", "v1/x", 5) is None
    addresses = ("https://a.example/b", "http://a.example", "https://", "https://a.example/?b")
    assert [address for address in addresses if HTTPS.fullmatch(address)] == [addresses[0]]


def proof_of(history: Path) -> tuple[dict[str, Any], Scope, str]:
    """Returns a proof of the third sample of a lane, its scope, and the sealed head."""
    file = next((history / "buckets").glob("*/v1/blocks/*"))
    first, second, *samples = file.read_bytes()[:-1].split(b"\n")
    header = json.loads(first)
    level, path, index = [merkle.leaf(line) for line in samples], [], 2
    while len(level) > 1:
        if index ^ 1 < len(level):
            path.append(level[index ^ 1].hex())
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [merkle.node(*pair) for pair in pairs] + level[len(level) & ~1 :]
        index //= 2
    proof = {"sample": samples[2].decode(), "index": 2, "path": path, "header": first.decode(),
             "signature": json.loads(second)["signature"], "links": []}  # fmt: skip
    scope = Scope(*(header[name] for name in Scope._fields))
    return proof, scope, merkle.leaf(first).hex()


def test_names_its_other_command_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "affine-verify proof --help" in capsys.readouterr().out


def test_checks_a_sample_alone(history: Path, tmp_path: Path) -> None:
    proof, scope, head = proof_of(history)
    text = canonical_text(proof).encode()
    assert check_proof(text, scope, head, 10)["index"] >= 0
    file, chain = tmp_path / "proof", history / "chain.jsonl"
    words = ["proof", str(file), "--network", str(chain)]
    key, stranger = (
        scope.validator.encode(),
        list(read_chain(chain.read_bytes()).view.neurons)[-1].encode(),
    )
    later = text.replace(b'\\"epoch\\":2', b'\\"epoch\\":9')
    assert len({text, later, text.replace(key, stranger)}) == 3
    for data, exit_code in [
        (text, 0),
        (text + b"\n", 1),
        (b"", 1),
        (later, 1),
        (text.replace(key, stranger), 1),
        (b"9" * (PROOF_BYTES + 1), 2),
    ]:
        file.write_bytes(data)
        assert main(words) == exit_code
    file.unlink()
    assert main(words) == 2
    changes: list[tuple[dict[str, Any], str]] = [
        ({"index": 3}, "BAD_PROOF"),
        ({"path": proof["path"][1:]}, "BAD_PROOF"),
        ({"sample": proof["sample"].replace("1", "2", 1)}, "BAD_PROOF"),
        ({"signature": "0" * 128}, "WRONG_SIGNATURE"),
        ({"links": [proof["header"]]}, "BAD_PROOF"),
        ({"more": 1}, "BAD_PROOF"),
    ]
    for change, code in changes:
        with pytest.raises(FaultError, match=code):
            check_proof(canonical_text({**proof, **change}).encode(), scope, head, 10)
    for other in (scope._replace(genesis="a" * 64),):
        with pytest.raises(FaultError, match="BAD_PROOF"):
            check_proof(text, other, head, 10)


def test_reports_full_blocks_and_plans() -> None:
    assert is_full([b"x" * 100] * 2048, [])
    assert not is_full([b"x"] * 2047, [b"x"])
    assert is_full([b"x" * 131071] * 63, [b"x" * 131071])
    quotas = {"c1": {"mult8@0.1.0": 2, "hex@0.1.0": 1}, "c0": {"mult8@0.1.0": 1}}
    found = [(place.env[0], place.number, "".join(place.miners)) for place in plan_of("h", quotas)]
    assert found == [
        ("h", 0, "hc1"), ("m", 0, "h"), ("m", 0, "c0"), ("m", 0, "c1"), ("m", 1, "h"),
        ("m", 1, "c1"),
    ]  # fmt: skip
