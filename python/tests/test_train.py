"""Tests that the examples learn, serve the result, and win a duel."""

import importlib
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from processes import AF, TRAIN, TRAIN_HEX, needs_af, serving
from vectors import PACKAGE, ROOT

from affine_envs.tictactoe_board import Board, after, code, outlook, starts


@needs_af
@pytest.mark.parametrize(
    ("env", "program", "played", "much"),
    [("tictactoe-v0", TRAIN, "--episodes", 20_000), ("hex-v0", TRAIN_HEX, "--games", 1_280)],
)
def test_a_trained_miner_wins_its_duel_with_an_untrained_one(
    env: str, program: list[str], played: str, much: int, tmp_path: Path
) -> None:
    with (
        serving(*program, played, "0", "--port", "0") as untrained,
        serving(*program, played, str(much), "--port", "0") as trained,
    ):
        words = [untrained, trained, "--env", env, "--json", "--out", str(tmp_path)]
        result = subprocess.run([*AF, "duel", *words], capture_output=True, text=True, check=True)
        verdict = json.loads(result.stdout.splitlines()[-1])
        assert (verdict["type"], verdict["outcome"]) == ("end", "contender")


@pytest.mark.parametrize(
    ("program", "played", "refusal"),
    [(TRAIN, "--episodes", "I play tic-tac-toe only."), (TRAIN_HEX, "--games", "I play hex only.")],
)
def test_a_body_without_a_prompt_is_refused(program: list[str], played: str, refusal: str) -> None:
    with serving(*program, played, "0", "--port", "0") as url:
        for body in (b"", b"{", b"[]", b"{}", b'{"messages": []}', b'{"messages": [5]}'):
            request = urllib.request.Request(f"{url}/chat/completions", body)
            with pytest.raises(urllib.error.HTTPError, match="400") as error:
                urllib.request.urlopen(request)
            error.value.close()
        body = b'{"messages": [{"role": "user", "content": "Compute 1 * 1."}]}'
        request = urllib.request.Request(f"{url}/chat/completions", body)
        with urllib.request.urlopen(request) as answer:
            assert refusal.encode() in answer.read()


ECHO = f"""
import sys
sys.path.insert(0, {str(PACKAGE / "examples")!r})
import miner_server
miner_server.READ_SECONDS = 1
miner_server.serve(str, 0)
"""


def answer_to(url: str, rest: str) -> str:
    """Returns everything that the server sends until it closes the connection."""
    where = urlsplit(url)
    with socket.create_connection((str(where.hostname), where.port or 0), timeout=60) as client:
        client.sendall(f"POST /v1/chat/completions HTTP/1.1\r\n{rest}".encode())
        return b"".join(iter(lambda: client.recv(65536), b"")).decode()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("Content-Length: -1", 400),
        ("Content-Length: ten", 400),
        ("Content-Length: 1_0", 400),
        ("Content-Length: ", 400),
        ("X-Length: 2", 411),
        ("Transfer-Encoding: chunked", 411),
        ("Content-Length: 1000001", 413),
        ("Content-Length: " + 10_000 * "9", 413),
    ],
    ids=lambda each: str(each)[:30],
)
def test_a_body_without_a_bounded_length_is_refused(headers: str, status: int) -> None:
    with serving(sys.executable, "-c", ECHO) as url:
        assert answer_to(url, f"{headers}\r\n\r\n").startswith(f"HTTP/1.1 {status} ")


def test_a_connection_that_sends_nothing_is_closed() -> None:
    with serving(sys.executable, "-c", ECHO) as url:
        assert answer_to(url, "Content-Length: 9\r\n\r\n{") == ""


def test_long_training_misses_as_many_boards_as_the_page_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(PACKAGE / "examples")
    table = importlib.import_module("train_tictactoe").learn(200_000, 0)

    def misses(board: Board) -> bool:
        worth = table[code(board)]
        cells = np.flatnonzero(worth == worth.max())
        return any(-outlook(after(board, int(cell)))[0] < outlook(board)[0] for cell in cells)

    missed = sum(misses(board) for board in starts())
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert f"all but {missed} of the {len(starts())} boards" in " ".join(page.split())
