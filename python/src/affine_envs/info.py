"""The facts of an episode, with the same names in every language. Protocol §3.6."""

from typing import Any

import numpy as np

from affine_envs.digest import truth_digest
from affine_envs.game import Game

INFO_TYPES: dict[str, type] = {
    "challenge_id": object,
    "env": object,
    "difficulty": np.int64,
    "spec_hash": object,
    "ground_truth_commitment": object,
}
"""The names of the facts, with the types of their arrays in vector environments."""


def info_of(
    game: Game[Any, Any], initial_state: Any, origin: str, challenge_id: str | None
) -> dict[str, Any]:
    """Returns the facts of the episode that starts in `initial_state`.

    `challenge_id` is None after a reset without one. `origin` is part of the commitment's digest.
    """
    return {
        "challenge_id": challenge_id,
        "env": game.id,
        "difficulty": game.difficulty(initial_state),
        "spec_hash": game.spec_hash,
        "ground_truth_commitment": truth_digest(origin, game.truth_text(initial_state)),
    }
