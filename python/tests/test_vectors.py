"""Recomputes every file of `vectors/`, or gives the reason for its omission.

Two parts of `vectors/prng` are omitted: refused seeds and draws, since NumPy refuses other ones,
and texts that only a reader of canonical JSON refuses, since this package has no such reader.
"""

import json
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
import pytest
from vectors import IS_SDIST, ROOT, reset_of, vectors_of

from affine_envs import (
    AffineEnv,
    Replayed,
    Transcript,
    challenge_id,
    digest,
    golden_episode,
    is_challenge_id,
    play,
    recorded,
    replay,
    replay_game,
    seed_of,
    spec_hash,
)
from affine_envs.canonical_json import canonical_text
from affine_envs.challenge import id_of
from affine_envs.registry import game_of
from affine_envs.text import answer, is_recorded, normalise

RECOMPUTED = {
    "envs": {
        "challenge-ids",
        "games",
        "infos",
        "initial-states",
        "normalise",
        "recorded",
        "replays",
        "replies",
        "spec-hashes",
        "strengths",
    },
    "prng": {"canonical-json", "digest", "generator", "long-run", "seed-words"},
}
NOT_OF_ENVIRONMENTS = {
    "blocks": "evidence: signed blocks and their trees",
    "chain": "accounts, commitments and weights on chain",
    "conformance": "histories for verifiers, run by scripts/conformance.mjs",
    "duel": "from evidence to a champion",
    "wilson": "statistics of a duel",
}


def test_every_file_is_recomputed_or_named() -> None:
    found = {path.parent.name: set[str]() for path in (ROOT / "vectors").glob("*/*.json")}
    for path in (ROOT / "vectors").glob("*/*.json"):
        found[path.parent.name].add(path.stem)
    assert {name: found[name] for name in RECOMPUTED} == RECOMPUTED
    others = NOT_OF_ENVIRONMENTS.keys() - ({"wilson", "conformance"} if IS_SDIST else set())
    assert found.keys() == RECOMPUTED.keys() | others


def parsed(text: str) -> Any:
    """Returns a value as JavaScript reads it: 1.0 is the integer 1. Floats stay, even 0.0."""

    def number(digits: str) -> Any:
        exact = Fraction(digits)
        return int(exact) if exact.denominator == 1 and exact != 0 else float(digits)

    return json.loads(text, parse_float=number, parse_int=lambda digits: number(digits) or 0)


WRITTEN = [each for each in vectors_of("prng/canonical-json") if "text" in each["want"]]
# Python reads -0 as the integer 0, whose text is "0".
REFUSED = [
    each
    for each in vectors_of("prng/canonical-json")
    if "error" in each["want"] and each["input"] != "-0"
]


@pytest.mark.parametrize("vector", WRITTEN, ids=lambda each: each["what"])
def test_canonical_text(vector: Any) -> None:
    assert canonical_text(parsed(vector["input"])) == vector["want"]["text"]


@pytest.mark.parametrize("vector", REFUSED, ids=lambda each: each["what"])
def test_no_canonical_text(vector: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical_text(parsed(vector["input"]))


@pytest.mark.parametrize("vector", vectors_of("prng/digest"), ids=lambda each: each["what"])
def test_digest(vector: Any) -> None:
    tag, fields, want = vector["input"]["tag"], vector["input"]["fields"], vector["want"]
    if "hash" in want:
        assert digest(tag, *fields) == want["hash"]
    else:
        with pytest.raises((TypeError, ValueError)):
            digest(tag, *fields)


def drawn(random: np.random.Generator, call: list[Any]) -> Any:
    name, *numbers = call
    if name == "uint64":
        return str(random.integers(0, 2**64, dtype=np.uint64))
    if name == "uint32":
        return int(random.integers(0, 2**32, dtype=np.uint32))
    if name == "random":
        return float(random.random())
    if name == "permutation":
        return random.permutation(numbers[0]).tolist()
    return int(random.integers(*numbers))


GENERATED = [each for each in vectors_of("prng/generator") if "values" in each["want"]]


@pytest.mark.parametrize("vector", GENERATED)
def test_generator(vector: Any) -> None:
    random = np.random.default_rng(int(vector["input"]["seed"]))
    values = [drawn(random, call) for call in vector["input"]["calls"]]
    assert values == vector["want"]["values"]


def test_long_run() -> None:
    for vector in vectors_of("prng/long-run"):
        asked, want = vector["input"], vector["want"]
        random = np.random.default_rng(int(asked["seed"]))
        values = [drawn(random, call) for _ in range(asked["rounds"]) for call in asked["calls"]]
        whole = [int(x * 2**53) if isinstance(x, float) else x for x in values]
        assert digest("prng", *[whole]) == want["hash"]


SEEDED = [each for each in vectors_of("prng/seed-words") if "words" in each["want"]]


@pytest.mark.parametrize("vector", SEEDED)
def test_seed_words(vector: Any) -> None:
    sequence = np.random.SeedSequence(int(vector["input"]["seed"]))
    assert sequence.generate_state(8).tolist() == vector["want"]["words"]


@pytest.mark.parametrize("vector", vectors_of("envs/challenge-ids"), ids=lambda each: each["what"])
def test_challenge_id(vector: Any) -> None:
    parts, want = vector["input"], vector["want"]
    if parts is not None:
        parts = {"spec_hash" if name == "specHash" else name: parts[name] for name in parts}
        assert challenge_id(**parts) == want["id"]
    assert is_challenge_id(want["id"])
    assert str(seed_of(want["id"])) == want["seed"]


def test_ids_of_hashes() -> None:
    for vector in vectors_of("envs/challenge-ids"):
        if vector["what"] == "32 zeros":
            assert id_of("00" * 32) == vector["want"]["id"]
        if vector["what"] == "the greatest":
            assert id_of("ff" * 32) == vector["want"]["id"]


@pytest.mark.parametrize(
    "vector", vectors_of("envs/challenge-ids", "refused"), ids=lambda each: each["what"]
)
def test_no_challenge_id(vector: Any) -> None:
    assert not is_challenge_id(vector["input"])
    with pytest.raises(ValueError, match="base58 of 32 bytes"):
        seed_of(vector["input"])


@pytest.mark.parametrize("vector", vectors_of("envs/initial-states"))
def test_initial_state(vector: Any) -> None:
    game = game_of(vector["what"])
    state = game.initial(np.random.default_rng(int(vector["input"])))
    assert game.observe(state).tolist() == vector["want"]["observation"]
    assert game.prompt(state) == vector["want"]["prompt"]
    assert game.difficulty(state) == vector["want"]["difficulty"]
    assert digest("truth", game.truth(state)) == vector["want"]["truth"]


@pytest.mark.parametrize("vector", vectors_of("envs/normalise"), ids=lambda each: each["what"])
def test_normalise(vector: Any) -> None:
    text = json.loads(vector["input"])
    assert normalise(text) == vector["want"]
    assert normalise(vector["want"]) == vector["want"]


@pytest.mark.parametrize("vector", vectors_of("envs/recorded"), ids=lambda each: each["what"])
def test_recorded(vector: Any) -> None:
    reply = "".join(json.loads(text) * times for text, times in vector["input"])
    want = vector["want"]
    assert recorded(reply) == recorded(want) == want
    assert is_recorded(want)
    assert len(canonical_text(want).encode()) - 2 <= 640


@pytest.mark.parametrize("vector", vectors_of("envs/replies"))
def test_reply(vector: Any) -> None:
    action = game_of(vector["what"]).parse(answer(recorded(vector["input"])))
    read = list(action) if isinstance(action, tuple) else action
    assert ("refused" if read is None else read) == vector["want"]


@pytest.mark.parametrize("vector", vectors_of("envs/replies", "answers"))
def test_answer(vector: Any) -> None:
    want = vector["want"]
    assert answer(recorded(vector["input"])) == answer(want) == want


@pytest.mark.parametrize("vector", vectors_of("envs/replays"), ids=lambda each: each["what"])
def test_replay(vector: Any) -> None:
    asked, want = vector["input"], vector["want"]
    result = replay(asked["env"], asked["challengeId"], asked["messages"])
    assert result == (want if isinstance(want, str) else Replayed(**want))


@pytest.mark.parametrize("vector", vectors_of("envs/games"), ids=lambda each: each["what"])
def test_replay_of_a_game(vector: Any) -> None:
    asked, want = vector["input"], vector["want"]
    result = replay_game(asked["env"], asked["challengeId"], asked["recorded"])
    if not isinstance(want, str):
        want = {side: Replayed(**want[side]) for side in want}
    assert result == want


def test_a_record_of_one_side_is_too_short() -> None:
    challenge = vectors_of("envs/games")[0]["input"]["challengeId"]
    records: list[Any] = [{}, {"champion": []}, {"contender": [], "champion": "none"}]
    for record in records:
        assert replay_game("hex-v0", challenge, record) == "TOO_SHORT"


@pytest.mark.parametrize("vector", vectors_of("envs/strengths"), ids=lambda each: each["what"])
def test_strength(vector: Any) -> None:
    asked, want = vector["input"], vector["want"]
    env = AffineEnv(asked["env"], strength=asked["strength"])
    observation, _ = env.reset(options={"challenge_id": asked["challengeId"]})
    total, over = 0.0, False
    for reply in asked["replies"]:
        assert not over
        observation, reward, over, _, _ = env.step(env.parse(reply))
        total += reward
    assert over
    assert observation.tolist() == want["observation"]
    assert total == want["reward"]
    replies = iter(asked["replies"])
    place = (asked["env"], asked["challengeId"])
    played = play(*place, lambda _: next(replies), asked["strength"])
    assert played.reward == want["reward"]
    again = replay(*place, played.messages, asked["strength"])
    assert again == Replayed(played.reward, fault=False)


@pytest.mark.parametrize("vector", vectors_of("envs/strengths", "refused"))
def test_no_strength(vector: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        AffineEnv(**vector["input"])


@pytest.mark.parametrize("vector", vectors_of("envs/infos"), ids=lambda each: each["what"])
def test_info(vector: Any) -> None:
    asked, want = vector["input"], vector["want"]
    env = AffineEnv(asked["env"])
    _, info = env.reset(**reset_of(asked))
    for _ in range(asked["resetsAfter"]):
        _, info = env.reset()
    assert info == want
    assert env.step(None)[-1] == want


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
@pytest.mark.parametrize("vector", vectors_of("envs/infos"), ids=lambda each: each["what"])
def test_infos_of_a_vector_environment(vector: Any, mode: str) -> None:
    asked, want = vector["input"], vector["want"]
    name = f"affine/{asked['env'].split('@')[0]}-v0"
    envs = gymnasium.make_vec(name, num_envs=2, vectorization_mode=mode)
    _, infos = envs.reset(**reset_of(asked))
    for _ in range(asked["resetsAfter"]):
        _, infos = envs.reset()
    assert infos.keys() == {*want, *(f"_{key}" for key in want)}
    for key in want:
        assert infos[key][0] == want[key]
        assert infos[f"_{key}"].tolist() == [True, True]


@pytest.mark.parametrize("vector", vectors_of("envs/spec-hashes"))
def test_spec_hash(vector: Any) -> None:
    assert spec_hash(vector["input"]) == vector["want"]
    assert game_of(vector["input"]).spec_hash == vector["want"]


@pytest.mark.parametrize("vector", vectors_of("envs/spec-hashes", "episodes"))
def test_golden_episode(vector: Any) -> None:
    played = golden_episode(vector["what"], vector["input"])
    want = vector["want"]
    if isinstance(played, Transcript):
        played, want = {"champion": played}, {"champion": want}
    for side, transcript in played.items():
        assert transcript.messages == want[side]["messages"]
        assert transcript.reward == want[side]["reward"]
        assert transcript.fault == want[side].get("fault")
