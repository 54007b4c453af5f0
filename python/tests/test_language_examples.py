"""Tests that the examples for a language model are correct and complete as tokens."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from vectors import PACKAGE

from affine_envs.registry import NEWEST, game_of
from affine_envs.text import answer
from affine_envs.tictactoe_board import after, outlook


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(PACKAGE / "examples")
    import language_examples

    return language_examples


@pytest.mark.parametrize("env", NEWEST)
def test_every_reply_ends_with_a_good_move(env: str, taught: Any) -> None:
    game: Any = game_of(env, 0.5 if env == "hex-v0" else None)
    for seed in range(20):
        # The first example has the first state of the same stream.
        [example] = islice(taught.examples(env, np.random.default_rng(seed)), 1)
        state = game.initial(np.random.default_rng(seed))
        assert example.prompt == game.prompt(state)
        given = answer(example.reply)
        if env == "tictactoe-v0":
            cell = game.parse(given)
            assert -outlook(after(state, cell))[0] == outlook(state)[0]
        else:
            assert given == game.best_reply(state).split()[0]
        assert game.step(state, game.parse(given), np.random.default_rng(0)) is not None


def test_a_move_follows_the_values_that_lead_to_it(taught: Any) -> None:
    board = "\n".join(["  1 2 3", "A X . O", "B . X .", "C . . O"])
    assert taught.written("tictactoe-v0", board, "B3") == "A 2-\nB 1- 3=\nC 1- 2-\nB3"
    assert taught.written("hex-v0", board, "C2") == "C 1 2\nC2"


def test_the_working_of_a_product_precedes_the_product(taught: Any) -> None:
    assert taught.working("12345678", "10000012").splitlines()[:3] == [
        " 16 15 13 11 09 06 04 02",
        " 13 11 08 14 11 08 04 01",
        " 01 08 04 01 08 04 01 00",
    ]


def test_tokens_give_back_their_text(taught: Any) -> None:
    random = np.random.default_rng(0)
    known = [each for env in NEWEST for each in islice(taught.examples(env, random), 150)]
    tokens = taught.Tokens.of(known)
    for env in NEWEST:
        for prompt, reply in islice(taught.examples(env, random), 50):
            assert tokens.text(tokens.read(prompt)) == prompt
            assert tokens.text(tokens.read(reply)) == reply
    assert tokens.read("é1\n\nA2") == tokens.read("1\n\nA2")


def test_a_row_of_a_board_has_the_same_line_everywhere(taught: Any) -> None:
    tokens = taught.Tokens(["<reply>", "<end>", "\n", " .", "A", "C"])
    asked = [4, taught.LINE_FEED, taught.LINE_FEED, 5, 3]
    assert tokens.places(asked) == [(0, 0), (1, 0), (2, 0), (5, 1), (5, 2)]
    assert tokens.places([*asked, taught.REPLY, 4, 3])[5:] == [(6, 0), (3, 1), (3, 2)]
