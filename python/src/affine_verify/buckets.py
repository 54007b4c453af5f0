"""Reads published files, with limits, from folders and over HTTP. Protocol §6.4."""

import re
import time
import zlib
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

NAME = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
HTTPS = re.compile("https://[^/?#]+[^?#]*", re.IGNORECASE)
PATIENCE_SECONDS = 90.0
READ_SECONDS = 30.0
CHUNK = 2**16
GZIP = zlib.MAX_WBITS | 16
OPENER = OpenerDirector()
"""Follows no redirect, and returns answers of any status."""
for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler()):
    OPENER.add_handler(handler)


class UnavailableError(Exception):
    """Data that a reader needs is unavailable or invalid. Protocol §6.5."""


def read_url(url: str, limit: int, seconds: float, question: bytes | None = None) -> bytes | None:
    """Returns what a URL serves with status 200, at most one byte beyond the limit.

    Returns None after an error or a timeout of `seconds`. A question, in JSON, is sent by POST.
    """
    end = time.monotonic() + seconds
    data = bytearray()
    try:
        request = Request(url, question, {"content-type": "application/json"})
        with OPENER.open(request, timeout=seconds) as response:
            if response.status != 200:
                return None
            is_gzip = response.headers.get("content-encoding") == "gzip"
            decoder = zlib.decompressobj(GZIP) if is_gzip else None
            while len(data) <= limit and (part := response.read1(CHUNK)):
                left = limit + 1 - len(data)
                data += decoder.decompress(part, left) if decoder else part[:left]
                if time.monotonic() > end:
                    return None
    except (OSError, ValueError, HTTPException, zlib.error):
        return None
    return bytes(data)


def read_file(path: Path, limit: int) -> bytes | None:
    """Returns the bytes of a file, at most one beyond the limit, or None."""
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(limit + 1)
    return None


def is_url(text: str) -> bool:
    """Reports whether a text is an http or https URL."""
    return text.startswith(("http://", "https://"))


class Buckets:
    """Opens buckets by address. A plain name is looked up below a base folder or URL."""

    def __init__(self, base: str | None) -> None:
        self.base = base
        self.waited: dict[str, float] = {}

    def read(self, address: str, path: str, limit: int) -> bytes | None:
        """Returns a file, or None if it is unavailable or has more than `limit` bytes."""
        base, is_https = address, HTTPS.fullmatch(address) is not None
        if not is_https:
            if self.base is None or NAME.fullmatch(address) is None:
                return None
            base = f"{self.base.rstrip('/')}/{address}"
        if is_https or is_url(base):
            data = self._fetch(address, f"{base.rstrip('/')}/{path}", limit)
        else:
            data = read_file(Path(base) / path, limit)
        return None if data is None or len(data) > limit else data

    def _fetch(self, address: str, url: str, limit: int) -> bytes | None:
        """Reads a URL. After 90 seconds of waiting in total, reads nothing more from the bucket."""
        left = PATIENCE_SECONDS - self.waited.get(address, 0.0)
        begin = time.monotonic()
        data = read_url(url, limit, min(READ_SECONDS, left)) if left > 0 else None
        self.waited[address] = PATIENCE_SECONDS - left + time.monotonic() - begin
        return data
