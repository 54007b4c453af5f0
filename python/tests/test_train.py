"""The example learns, serves what it learned, and takes the throne."""

import json
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from processes import AF, TRAIN, needs_af, serving


@needs_af
def test_what_it_learned_is_crowned(tmp_path: Path) -> None:
    with (
        serving(*TRAIN, "--episodes", "0", "--port", "0") as untrained,
        serving(*TRAIN, "--port", "0") as trained,
    ):
        words = [untrained, trained, "--env", "tictactoe-v0", "--json", "--out", str(tmp_path)]
        said = subprocess.run([*AF, "duel", *words], capture_output=True, text=True, check=True)
        verdict = json.loads(said.stdout.splitlines()[-1])
        assert (verdict["type"], verdict["outcome"]) == ("end", "contender")


def test_what_is_no_conversation_is_refused() -> None:
    with serving(*TRAIN, "--episodes", "0", "--port", "0") as url:
        for body in (b"", b"{", b"[]", b"{}", b'{"messages": []}', b'{"messages": [5]}'):
            request = urllib.request.Request(f"{url}/chat/completions", body)
            with pytest.raises(urllib.error.HTTPError, match="400") as refusal:
                urllib.request.urlopen(request)
            refusal.value.close()
        body = b'{"messages": [{"role": "user", "content": "Compute 1 * 1."}]}'
        request = urllib.request.Request(f"{url}/chat/completions", body)
        with urllib.request.urlopen(request) as answer:
            assert b"tic-tac-toe only" in answer.read()
