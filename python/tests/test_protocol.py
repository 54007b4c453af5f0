"""Tests the examples of docs/protocol.md for chapters 1 to 4."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from vectors import examples

from affine_envs import (
    Transcript,
    challenge_id,
    digest,
    golden_episode,
    play,
    play_game,
    replay,
    seed_of,
    spec_hash,
)
from affine_envs.canonical_json import canonical_text
from affine_envs.registry import game_of, two_player_game_of
from affine_envs.text import answer, normalise
from affine_envs.tictactoe_board import code, starts
from affine_envs.two_players import Match

DRAWS: dict[str, Callable[[np.random.Generator], Any]] = {
    "uint64": lambda random: str(random.integers(0, 2**64, dtype=np.uint64)),
    "uint32": lambda random: int(random.integers(0, 2**32, dtype=np.uint32)),
    "random": lambda random: float(random.random()),
}


def drawn(random: np.random.Generator, call: str) -> Any:
    if call in DRAWS:
        return DRAWS[call](random)
    low, high = map(int, re.findall("[0-9]+", call))
    return int(random.integers(low, high))


def stream(asked: Any) -> Any:
    random = np.random.default_rng(asked["seed"])
    words = np.random.SeedSequence(asked["seed"]).generate_state(8)
    return {"words": words.tolist(), "draws": [drawn(random, call) for call in asked["draws"]]}


def tictactoe_starts(_: Any) -> Any:
    codes = [code(board) for board in starts()]
    return {"count": len(codes), "first": codes[:3], "last": codes[-1]}


def scripted(env: str, asked: Any) -> tuple[list[str], int]:
    replies = iter(asked["replies"])
    played = play(env, asked["id"], lambda _: next(replies))
    replayed = replay(env, asked["id"], played.messages)
    assert (played.reward, played.fault) == (replayed.reward, None)  # type: ignore[union-attr]
    return [message["content"] for message in played.messages], played.reward


def tictactoe_episode(asked: Any) -> Any:
    contents, reward = scripted("tictactoe@0.1.0", asked)
    seed = seed_of(asked["id"])
    index = int(np.random.default_rng(seed).integers(0, 3191))
    boards = ["".join(re.findall("(?<= )[XO.](?=[ \n])", text)) for text in contents[::2]]
    return {
        "seed": str(seed),
        "index": index,
        "code": code(starts()[index]),
        "boards": boards,
        "reward": reward,
    }


def mult8_episode(asked: Any) -> Any:
    contents, reward = scripted("mult8@0.1.0", asked)
    return {"messages": contents, "reward": reward}


def hex_episode(asked: Any) -> Any:
    game = two_player_game_of("hex@0.1.0")
    match = Match(game, seed_of(asked["id"]))
    left, boards, good = list(asked["replies"]), [], []

    def reply(_: Any) -> str:
        boards.append("".join(".XO"[mark] for mark in match.state))
        good.append(game.best_reply(match.state))
        match.reply(left[0].splitlines()[-1])
        return str(left.pop(0))

    first = match.mover
    played = play_game("hex@0.1.0", asked["id"], {"champion": reply, "contender": reply})
    sides = {
        side: {
            "replies": [each["content"] for each in transcript.messages[1::2]],
            "reward": transcript.reward,
        }
        for side, transcript in played.items()
    }
    return {"first": first, "boards": boards, "good": good, **sides}


def pack_episode(asked: Any) -> Any:
    contents, reward = scripted("pack@0.1.0", asked)
    game = game_of("pack@0.1.0")
    state = game.initial(np.random.default_rng(seed_of(asked["id"])))
    assert contents[0] == game.prompt(state)
    return {
        "pieces": contents[0].split("\n")[2],
        "cutting": game.truth(state),
        "good": game.best_reply(state),
        "reward": reward,
    }


def ids(asked: Any) -> Any:
    parts = {
        name: asked[name]
        for name in ("genesis", "netuid", "validator", "epoch", "beacon", "secret")
    }
    committed = ("genesis", "netuid", "validator", "epoch", "secret")
    challenge, game = (
        challenge_id(
            **parts,
            env=place["env"],
            spec_hash=game_of(place["env"]).spec_hash,
            index=place["index"],
            contender=place["contender"],
        )
        for place in (asked, asked["game"])
    )
    return {
        "commitment": digest("commit", *(asked[name] for name in committed)),
        "challenge": challenge,
        "game": game,
        'digest("seed", challenge)': digest("seed", challenge),
        "seed": str(seed_of(challenge)),
    }


def golden(asked: Any) -> Any:
    played = golden_episode(asked["env"], asked["index"])
    assert isinstance(played, Transcript)
    assert played.fault is None
    return {"messages": played.messages, "reward": played.reward}


EXAMPLES: dict[str, Callable[[Any], Any]] = {
    "canonical text": canonical_text,
    "digest": lambda asked: {
        "text": canonical_text(["affine/1", asked["tag"], *asked["fields"]]),
        "hash": digest(asked["tag"], *asked["fields"]),
    },
    "stream": stream,
    "normalise": lambda texts: [normalise(text) for text in texts],
    "answers": lambda texts: [answer(text) for text in texts],
    "tictactoe starts": tictactoe_starts,
    "tictactoe episode": tictactoe_episode,
    "mult8 episode": mult8_episode,
    "hex episode": hex_episode,
    "pack episode": pack_episode,
    "specHash": lambda envs: {env: spec_hash(env) for env in envs},
    "ids": ids,
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    example = examples()[name]
    assert EXAMPLES[name](example["in"]) == example["out"]


def test_golden_episode() -> None:
    example = examples()["golden episode"]
    assert golden(example["in"]) == example["out"]["episode"]
