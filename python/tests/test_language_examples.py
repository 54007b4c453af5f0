"""What a language model is taught is right, and none of it is lost as tokens."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from vectors import PACKAGE

from affine_envs.registry import NEWEST, game_of
from affine_envs.text import answer


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(PACKAGE / "examples")
    import language_examples

    return language_examples


@pytest.mark.parametrize("env", NEWEST)
def test_every_reply_is_the_scripted_players_move(env: str, taught: Any) -> None:
    game: Any = game_of(env)
    # The first examples are of the same stream as these states.
    random = np.random.default_rng(3)
    for seed in range(20):
        [example] = islice(taught.examples(env, np.random.default_rng(seed)), 1)
        state = game_of(env, 0.5 if env == "hex-v0" else None).initial(np.random.default_rng(seed))
        assert example.prompt == game.prompt(state)
        given, good = answer(example.reply), game.best_reply(state)
        assert given == good.split()[0]
        _, reward, _ = game.step(state, game.parse(given), random)
        assert reward >= 1 if env in ("mult8-v0", "pack-v0") else reward >= 0


def test_a_product_is_worked_out_above_it(taught: Any) -> None:
    assert taught.working("12345678", "10000012").splitlines()[:3] == [
        " 16 15 13 11 09 06 04 02",
        " 13 11 08 14 11 08 04 01",
        " 01 08 04 01 08 04 01 00",
    ]


def test_texts_are_their_tokens(taught: Any) -> None:
    random = np.random.default_rng(0)
    known = [each for env in NEWEST for each in islice(taught.examples(env, random), 150)]
    tokens = taught.Tokens.of(known)
    for env in NEWEST:
        for prompt, reply in islice(taught.examples(env, random), 50):
            assert tokens.text(tokens.read(prompt)) == prompt
            assert tokens.text(tokens.read(reply)) == reply
    assert tokens.read("é1\n\nA2") == tokens.read("1\n\nA2")


def test_a_row_of_a_board_is_at_one_line(taught: Any) -> None:
    tokens = taught.Tokens(["<reply>", "<end>", "\n", " .", "A", "C"])
    asked = [4, taught.LINE_FEED, taught.LINE_FEED, 5, 3]
    assert tokens.places(asked) == [(0, 0), (1, 0), (2, 0), (5, 1), (5, 2)]
    assert tokens.places([*asked, taught.REPLY, 4, 3])[5:] == [(6, 0), (3, 1), (3, 2)]
