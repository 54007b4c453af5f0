"""The environments by id. Protocol §3."""

from typing import Any

from affine_envs.game import Game, TwoPlayerGame
from affine_envs.hex import Hex
from affine_envs.mult8 import Mult8
from affine_envs.pack import Pack
from affine_envs.tictactoe import TicTacToe

GAMES: dict[str, Game[Any, Any]] = {game.id: game for game in (TicTacToe(), Mult8(), Hex(), Pack())}
NEWEST = {f"{id.split('@')[0]}-v0": id for id in GAMES}


def game_of(env: str, strength: float | None = None) -> Game[Any, Any]:
    """Returns the game of an exact id, `mult8@0.1.0`, or of `mult8-v0`, its newest 0.x.y.

    `strength` is the share of moves that the scripted opponent in a game of two players chooses
    well.
    """
    if strength is not None:
        return type(two_player_game_of(env))(strength)
    game = GAMES.get(NEWEST.get(env, env))
    if game is None:
        raise ValueError(f'"env" expected one of {", ".join(GAMES)}, got {env!r}')
    return game


def two_player_game_of(env: str) -> TwoPlayerGame[Any, Any]:
    """Returns the game of an environment of two players."""
    game = game_of(env)
    if not isinstance(game, TwoPlayerGame):
        raise ValueError(f'"env" expected one of two players, got {env!r}')
    return game
