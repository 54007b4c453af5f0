"""Tagged digests. Protocol §1.2."""

from blake3 import blake3

from affine_envs.canonical_json import Json, canonical_text


def digest(tag: str, *fields: Json) -> str:
    """Returns the BLAKE3 hash of `["affine/1", tag, field, …]`, as 64 hex digits."""
    if not isinstance(tag, str):
        raise TypeError(f'"tag" expected a string, got {tag!r}')
    return blake3(canonical_text(["affine/1", tag, *fields]).encode()).hexdigest()


def truth_digest(origin: str, truth: str) -> str:
    """Returns `digest("truth", origin, …)` of a canonical text. `origin` must need no escapes."""
    return blake3(f'["affine/1","truth","{origin}",{truth}]'.encode()).hexdigest()
