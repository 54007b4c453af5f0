"""The environments by id. Protocol §3.

An installed package adds environments by entry points in the group `affine_envs`. The name of an
entry point is an exact id. Its object is a subclass of `Game`, and is called without arguments when
the environment is first used.
"""

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from affine_envs.game import Game, TwoPlayerGame
from affine_envs.hex import Hex
from affine_envs.mult8 import Mult8
from affine_envs.pack import Pack
from affine_envs.tictactoe import TicTacToe

GAMES: dict[str, Game[Any, Any]] = {game.id: game for game in (TicTacToe(), Mult8(), Hex(), Pack())}
POINTS = {point.name: point for point in entry_points(group="affine_envs")}
NEWEST = {f"{id.split('@')[0]}-v0": id for id in (*GAMES, *POINTS)}


def game_of(env: str, strength: float | None = None) -> Game[Any, Any]:
    """Returns the game of an exact id, `mult8@0.1.0`, or of `mult8-v0`, the newest `mult8@0.x.y`.

    `strength` is the share of moves that the scripted opponent in a game of two players chooses
    well.
    """
    if strength is not None:
        return type(two_player_game_of(env))(strength)
    id = NEWEST.get(env, env)
    if id in POINTS:
        return _load(id)
    if id not in GAMES:
        expected = ", ".join((*GAMES, *POINTS))
        raise ValueError(f'"env" expected one of {expected}, got {env!r}')
    return GAMES[id]


@cache
def _load(id: str) -> Game[Any, Any]:
    """Loads the game of an entry point, or raises a ValueError that names the entry point."""
    where = f"the entry point {id!r}, {POINTS[id].value}"
    if id in GAMES:
        raise ValueError(f"{where}: this environment exists; give yours another name or version")
    try:
        game = POINTS[id].load()()
    except Exception as error:
        raise ValueError(f"{where}, cannot be loaded: {error!r}") from error
    if not isinstance(game, Game) or game.id != id:
        raise ValueError(f"{where}: expected a Game with this id, got {game!r}")
    return game


def two_player_game_of(env: str) -> TwoPlayerGame[Any, Any]:
    """Returns the game of an environment of two players."""
    game = game_of(env)
    if not isinstance(game, TwoPlayerGame):
        raise ValueError(f'"env" expected an environment of two players, got {env!r}')
    return game
