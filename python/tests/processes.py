"""Servers that run during a test."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
from vectors import IS_SDIST, PACKAGE, ROOT

AF = ["node", str(ROOT / "apps" / "validator" / "bin" / "af.js")]
"""The built `af`: `npm test` builds it before these tests."""
needs_af = pytest.mark.skipif(IS_SDIST, reason="the source distribution has no af")
OPENENV = [sys.executable, "-m", "uvicorn", "affine_envs.openenv:app", "--port", "0"]
TRAIN = [sys.executable, str(PACKAGE / "examples" / "train_tictactoe.py")]
TRAIN_HEX = [sys.executable, str(PACKAGE / "examples" / "train_hex.py")]
URL = re.compile(r"http://[0-9.:]+[0-9a-z/]*")


@contextmanager
def serving(*words: str) -> Iterator[str]:
    """Starts a program. Yields the URL that it prints. Ends the program with the `with` block."""
    env = {**os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            url = URL.search(line)
            if url is not None:
                # Reads the rest of the output, since a program with a full pipe would block.
                Thread(target=process.stdout.read, daemon=True).start()
                yield url[0]
                return
        raise AssertionError(f"{words} ended without a URL")
    finally:
        process.terminate()
        process.stdout.close()
        process.wait(10)
