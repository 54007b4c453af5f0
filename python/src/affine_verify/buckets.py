"""Reads published files, with limits, from folders and over HTTP. Protocol §6.4."""

import re
import time
import zlib
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

NAME = re.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*")
PATIENCE_SECONDS = 90.0
READ_SECONDS = 30.0
CHUNK = 2**16
GZIP = zlib.MAX_WBITS | 16


class _NoRedirect(HTTPRedirectHandler):
    """Makes any redirect an error."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Follows none."""


OPENER = build_opener(_NoRedirect())


class UnavailableError(Exception):
    """Data that a reader needs is unavailable or invalid. Protocol §6.5."""


class TooLargeError(Exception):
    """A file has more bytes than its limit."""


def read_url(
    url: str, limit: int, seconds: float = READ_SECONDS, question: bytes | None = None
) -> bytes | None:
    """Returns what a URL serves with status 200, or None; a question, in JSON, is posted to it.

    Raises TooLargeError beyond `limit` bytes.
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
            while part := response.read1(CHUNK):
                data += decoder.decompress(part, limit + 1 - len(data)) if decoder else part
                if len(data) > limit:
                    raise TooLargeError(url)
                if time.monotonic() > end:
                    return None
    except (OSError, ValueError, HTTPException, zlib.error):
        return None
    return bytes(data)


def read_file(path: Path, limit: int) -> bytes | None:
    """Returns the bytes of a file, or None; raises TooLargeError beyond `limit` bytes."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    if len(data) > limit:
        raise TooLargeError(str(path))
    return data


def is_https(address: str) -> bool:
    """Reports whether an address is an https URL with a host, and nothing after its path."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "https" and bool(parts.hostname) and not (parts.query or parts.fragment)


@dataclass
class Buckets:
    """The buckets that addresses on chain name. `base` is a folder or URL, for plain names."""

    base: str | None
    waited: dict[str, float] = field(default_factory=dict)

    def read(self, address: str, path: str, limit: int) -> bytes | None:
        """Returns a file, or None if it is unavailable or has more than `limit` bytes."""
        try:
            return self._read(address, path, limit)
        except TooLargeError:
            return None

    def _read(self, address: str, path: str, limit: int) -> bytes | None:
        """Reads a file. A bucket that was waited for 90 seconds is not asked again."""
        if is_https(address):
            url = address
        elif self.base is None or NAME.fullmatch(address) is None:
            return None
        elif is_url(self.base):
            url = f"{self.base.rstrip('/')}/{address}"
        else:
            return read_file(Path(self.base) / address / path, limit)
        left = PATIENCE_SECONDS - self.waited.get(address, 0.0)
        if left <= 0:
            return None
        begin = time.monotonic()
        try:
            return read_url(f"{url.rstrip('/')}/{path}", limit, min(READ_SECONDS, left))
        finally:
            passed = time.monotonic() - begin
            self.waited[address] = self.waited.get(address, 0.0) + passed


def is_url(text: str) -> bool:
    """Reports whether a text is an http or https URL."""
    return text.startswith(("http://", "https://"))
