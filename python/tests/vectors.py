"""The paths and contents of the vectors and of docs/protocol.md."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
IS_SDIST = (PACKAGE / "vectors").is_dir()
"""Whether this is the source distribution, which has vectors next to its tests, and no `af`."""
ROOT = PACKAGE if IS_SDIST else PACKAGE.parent
FENCED = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)


def vectors_of(name: str, part: str = "vectors") -> list[Any]:
    """Returns the vectors of a file: its list, or the list `part` of its object."""
    read = json.loads((ROOT / "vectors" / f"{name}.json").read_text(encoding="utf-8"))
    found = read[part] if isinstance(read, dict) else read
    assert isinstance(found, list)
    assert found
    return found


def reset_of(asked: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of the reset that a vector of `envs/infos` describes."""
    if "seed" in asked:
        return {"seed": int(asked["seed"])}
    return {"options": {"challenge_id": asked["challengeId"]}}


def examples() -> dict[str, Any]:
    """Returns the examples of docs/protocol.md by name."""
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    read = [json.loads(block) for block in FENCED.findall(page)]
    return {block["example"]: block for block in read if "example" in block}


def unpack(name: str, folder: Path) -> Path:
    """Writes `chain.jsonl` and `buckets/` of a history of `vectors/conformance` into a folder."""
    packed = (ROOT / "vectors" / "conformance" / f"{name}.json.gz").read_bytes()
    for text, *paths in json.loads(gzip.decompress(packed)):
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    return folder
