"""Affine's environments for Gymnasium, from the protocol's chapters 1 to 4."""

from affine_envs.challenge import challenge_id, is_challenge_id, seed_of
from affine_envs.digest import digest
from affine_envs.env import AffineEnv, register
from affine_envs.episode import Replayed, Transcript, play, replay
from affine_envs.golden import golden_episode, spec_hash
from affine_envs.text import recorded
from affine_envs.two_players import play_game, replay_game

__all__ = [
    "AffineEnv",
    "Replayed",
    "Transcript",
    "challenge_id",
    "digest",
    "golden_episode",
    "is_challenge_id",
    "play",
    "play_game",
    "recorded",
    "replay",
    "replay_game",
    "seed_of",
    "spec_hash",
]

register()
