"""How a reply is read and recorded. Protocol §3.2."""

import re

from blake3 import blake3

from affine_envs.canonical_json import canonical_text

MOST_BYTES = 640
MAX_TAIL_BYTES = 544

CONTROL = "\x00-\x1f\x7f-\x9f"
LINE_END = "\r\n|[\r\x85\u2028\u2029]"
SEQUENCE = "(?:\x1b\\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?"
STRING = f"(?:\x1b[]PX^_]|[\x90\x98\x9d\x9e\x9f])[^{CONTROL}\u2028\u2029]*(?:\x07|\x1b\\\\|\x9c)?"
ESCAPE = "\x1b[\x20-\x2f]*[\x30-\x7e]"
HIDDEN = (
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)
PAIRS = (
    *((sign, sign) for sign in '*_`"$'),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("\\boxed{", "}"),
    ("\\text{", "}"),
)
OF_PAIRS = '*_`"$\\{}'
RULES = re.compile(f"({LINE_END})|({SEQUENCE}|{STRING}|{ESCAPE})|{HIDDEN}")


def normalise(text: str) -> str:
    """Makes line ends LF, removes escape sequences, and replaces invisible characters by U+FFFD."""
    return RULES.sub(_replacement, _paired(text))


def recorded(reply: str) -> str:
    """Returns a reply as it is read and recorded: normalised, and only the end of a long reply.

    The end is the last lines that fit, or the end of the last line. Before it there is a line
    with the number of omitted bytes and their hash.
    """
    text = normalise(reply)
    if _bytes_of(text) <= MOST_BYTES:
        return text
    tail = _end_of(text)
    left = text[: len(text) - len(tail)].encode()
    return f"[{len(left)} bytes, {blake3(left).hexdigest()}]\n{tail}"


def is_recorded(text: str) -> bool:
    """Reports whether a text is a possible result of `recorded`."""
    return normalise(text) == text and _bytes_of(text) <= MOST_BYTES


def answer(text: str) -> str:
    """Returns the answer of a recorded reply.

    The answer is the last non-blank line, without the spaces and pairs of signs around it and the
    full stops at its end. If a sign of a pair would be left, only the spaces are removed.
    """
    line = text.rstrip(" \n").split("\n")[-1].strip(" ")
    content, before = line, None
    while content != before:
        before = content
        content = _unpaired(content.lstrip(" ").rstrip(" ."))
    return line if any(sign in OF_PAIRS for sign in content) else content


def _unpaired(text: str) -> str:
    for first, last in PAIRS:
        if len(text) >= len(first + last) and text.startswith(first) and text.endswith(last):
            return text[len(first) : len(text) - len(last)]
    return text


def _end_of(text: str) -> str:
    """Returns the last lines that fit, or the end of the last line, by code points."""
    *before, tail = text.split("\n")
    while before and _bytes_of(before[-1] + "\n" + tail) <= MAX_TAIL_BYTES:
        tail = before.pop() + "\n" + tail
    tail = tail[-MAX_TAIL_BYTES:]
    while _bytes_of(tail) > MAX_TAIL_BYTES:
        tail = tail[1:]
    return tail


def _bytes_of(text: str) -> int:
    """Returns the number of bytes of the canonical text without quotes. Protocol §1.1."""
    return len(canonical_text(text).encode()) - 2


def _replacement(match: re.Match[str]) -> str:
    line_end, sequence = match.groups()
    if line_end is not None:
        return "\n"
    return "" if sequence is not None else "\ufffd"


def _paired(text: str) -> str:
    """Returns the text with each surrogate pair as one code point."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
