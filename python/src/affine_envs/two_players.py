"""A game of two players and its transcripts. Protocol §3.1."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from affine_envs.challenge import is_challenge_id, seed_of
from affine_envs.episode import (
    Agent,
    Fault,
    Message,
    Refusal,
    Replayed,
    Transcript,
    prompt_refusal,
    reply_refusal,
)
from affine_envs.game import TwoPlayerGame
from affine_envs.registry import two_player_game_of
from affine_envs.text import answer, recorded

Side = Literal["champion", "contender"]
SIDES: tuple[Side, Side] = ("champion", "contender")


class Match:
    """A game from its first state to its end."""

    def __init__(self, game: TwoPlayerGame[Any, Any], seed: int) -> None:
        self.game = game
        self.random = np.random.default_rng(seed)
        self.mover: Side = SIDES[self.random.integers(0, 2)]
        self.state = game.opening(self.random)
        self.winner: Side | None = None

    @property
    def other(self) -> Side:
        return SIDES[1 - SIDES.index(self.mover)]

    def reply(self, content: str) -> None:
        """Plays the answer of a recorded reply. An illegal move loses."""
        action = self.game.parse(answer(content))
        moved = None if action is None else self.game.move(self.state, action, self.random)
        if moved is None:
            self.lose()
            return
        self.state, has_won = moved
        if has_won:
            self.winner = self.mover
        else:
            self.mover = self.other

    def lose(self) -> None:
        """Ends the game with a loss of the mover."""
        self.winner = self.other

    def reward(self, side: Side) -> int:
        game = self.game
        return game.highest_reward if side == self.winner else game.lowest_reward


def play_game(env: str, challenge_id: str, agents: Mapping[Side, Agent]) -> dict[Side, Transcript]:
    """Plays a challenge of two players. An agent gets a list with only the current prompt."""
    game = two_player_game_of(env)
    return record_game(game, seed_of(challenge_id), lambda side: agents[side])


def record_game(
    game: TwoPlayerGame[Any, Any], seed: int, agent_of: Callable[[Side], Agent]
) -> dict[Side, Transcript]:
    """Plays a challenge of two players from its seed."""
    match = Match(game, seed)
    messages: dict[Side, list[Message]] = {side: [] for side in SIDES}
    faults: dict[Side, Fault] = {}
    while match.winner is None:
        mover = match.mover
        prompt = {"role": "user", "content": game.prompt(match.state)}
        messages[mover].append(prompt)
        reply = agent_of(mover)([prompt])
        if reply is None:
            faults[mover] = "no-reply"
            match.lose()
        else:
            content = _written(game, recorded(reply))
            messages[mover].append({"role": "assistant", "content": content})
            match.reply(content)
    return {
        side: Transcript(messages[side], match.reward(side), faults.get(side)) for side in SIDES
    }


def replay_game(
    env: str, challenge_id: str, recorded: Mapping[Side, Sequence[Any]]
) -> dict[Side, Replayed] | Refusal:
    """Replays a game from both players' messages. Returns a refusal if messages or id are invalid.

    Accepts hostile messages. Raises ValueError only for an environment without two players.
    """
    game = two_player_game_of(env)
    if not is_challenge_id(challenge_id):
        return "BAD_CHALLENGE_ID"
    if not all(isinstance(recorded.get(side), list | tuple) for side in SIDES):
        return "TOO_SHORT"
    left = {side: list(recorded[side]) for side in SIDES}
    if not any(left.values()):
        return {side: Replayed(game.lowest_reward, fault=True) for side in SIDES}
    match = Match(game, seed_of(challenge_id))
    faulty: Side | None = None
    while match.winner is None:
        mover = match.mover
        if not left[mover]:
            return "TOO_SHORT"
        refusal = prompt_refusal(left[mover].pop(0), game.prompt(match.state))
        if refusal is None and left[mover]:
            reply = left[mover].pop(0)
            refusal = reply_refusal(reply)
            if refusal is None and _written(game, reply["content"]) != reply["content"]:
                refusal = "NOT_NORMALISED"
            if refusal is None:
                match.reply(reply["content"])
        elif refusal is None:
            faulty = mover
            match.lose()
        if refusal is not None:
            return refusal
    if any(left.values()):
        return "TOO_LONG"
    return {side: Replayed(match.reward(side), fault=side == faulty) for side in SIDES}


def _written(game: TwoPlayerGame[Any, Any], reply: str) -> str:
    """Returns the recorded text: the move in the game's notation, or an unreadable answer."""
    action = game.parse(answer(reply))
    return answer(reply) if action is None else game.written(action)
