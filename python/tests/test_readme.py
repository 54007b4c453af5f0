"""Tests that the README's example prints what the README states."""

import contextlib
import io
import re

from vectors import PACKAGE


def test_example() -> None:
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    program, printed = re.findall(r"^```(?:python|text)\n(.*?)^```", text, re.M | re.S)[:2]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(program, {})
    assert output.getvalue() == printed
