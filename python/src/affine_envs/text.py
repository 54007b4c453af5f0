"""A reply as it is judged and stored. Protocol §3.1 and §3.2."""

import re

MOST_BYTES = 4096

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
RULES = re.compile(f"({LINE_END})|({SEQUENCE}|{STRING}|{ESCAPE})|{HIDDEN}")


def normalise(text: str) -> str:
    """Line ends become LF, escape sequences go, what is invisible becomes U+FFFD."""
    return RULES.sub(_replacement, _paired(text))


def is_oversize(text: str) -> bool:
    """Does it take more than 4096 bytes in UTF-8?"""
    return len(_paired(text[: MOST_BYTES + 1]).encode("utf-8", "surrogatepass")) > MOST_BYTES


def last_line(text: str) -> str:
    """What follows the last LF, untrimmed."""
    return text[text.rfind("\n") + 1 :]


def _replacement(match: re.Match[str]) -> str:
    line_end, sequence = match.groups()
    if line_end is not None:
        return "\n"
    return "" if sequence is not None else "\ufffd"


def _paired(text: str) -> str:
    """The same text with two surrogates that are partners as one code point."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
