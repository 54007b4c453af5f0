"""Writes the vectors of this folder with affine_envs, a second implementation of packages/envs.

pip install ./python, then python3 vectors/envs/make.py   (NumPy 2.4.6; five minutes)
"""

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np

from affine_envs import (
    AffineEnv,
    Replayed,
    challenge_id,
    digest,
    golden_episode,
    play_game,
    replay,
    replay_game,
    seed_of,
    spec_hash,
)
from affine_envs.canonical_json import canonical_text
from affine_envs.challenge import id_of
from affine_envs.episode import Episode, play
from affine_envs.registry import GAMES
from affine_envs.text import answer, normalise
from affine_envs.text import recorded as recorded_text
from affine_envs.tictactoe_board import starts

HERE = Path(__file__).parent
SOURCE = "vectors/envs/make.py: plain Python and NumPy " + np.__version__
TICTACTOE, MULT8, HEX, PACK = GAMES.values()


def golden_id(game, index):
    return id_of(digest("golden", game.id, index))


def stream(seed):
    return np.random.default_rng(seed)


def as_json(transcript):
    return {key: value for key, value in asdict(transcript).items() if value is not None}


def perfect_episode(game, index):
    """Returns the episode on a golden challenge with the best reply to every prompt."""
    challenge = golden_id(game, index)
    episode = Episode(game, stream(seed_of(challenge)))

    def reply(messages):
        if len(messages) > 1:
            episode.reply(messages[-2]["content"])
        return game.best_reply(episode.state)

    return as_json(play(game.id, challenge, reply))


def write(name, data):
    head, *rest = [f"{json.dumps(key)}: " for key in data]
    lines = ["{", f'"source": {json.dumps(SOURCE)},']
    for number, (key, items) in enumerate(data.items()):
        body = ",\n".join(json.dumps(item) for item in items)
        lines.append(f"{json.dumps(key)}: [\n{body}\n]" + ("," if number < len(data) - 1 else ""))
    (HERE / name).write_text("\n".join(lines + ["}"]) + "\n")


def challenge_ids():
    base = {
        "genesis": digest("x", 0), "netuid": 120, "env": "mult8@0.1.0", "specHash": digest("x", 1),
        "validator": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "epoch": 7, "beacon": digest("x", 3),
        "secret": digest("x", 4), "index": 0, "contender": "",
    }  # fmt: skip
    cases = [("all parts", base)]
    for key in base:
        other = base[key] + 1 if isinstance(base[key], int) else "tictactoe@0.1.0" if key == "env" else digest("x", key)
        cases.append((f"another {key}", {**base, key: other}))
    good = []
    for what, parts in cases:
        made = id_of(digest("challenge", *parts.values()))
        good.append({"what": what, "input": parts, "want": {"id": made, "seed": str(seed_of(made))}})
    ids = [("32 zeros", "1" * 32), ("zeros in front", id_of((bytes(5) + bytes(range(1, 28))).hex())), ("the greatest", id_of("ff" * 32))]
    good += [{"what": what, "input": None, "want": {"id": made, "seed": str(seed_of(made))}} for what, made in ids]
    some = good[0]["want"]["id"]
    bad = [
        ("empty", ""), ("31 bytes", id_of("01" * 31)), ("33 bytes", id_of("01" * 33)), ("31 zeros", "1" * 31),
        ("33 zeros", "1" * 33), ("a zero byte too many", "1" + some), ("2^256", id_of("01" + "00" * 32)),
        ("44 characters, above 2^256", "z" * 44), ("two characters missing", some[:-2]), ("0 is no digit", "0" + some[1:]),
        ("l is no digit", some[:-1] + "l"), ("I is no digit", some[:-1] + "I"), ("O is no digit", some[:-1] + "O"),
        ("a line feed at the end", some + "\n"), ("a space in front", " " + some), ("full-width digit", "\uff11" * 32),
        ("hex", digest("x", 0)), ("long", "z" * 10_000),
    ]  # fmt: skip
    write("challenge-ids.json", {"vectors": good, "refused": [{"what": what, "input": text} for what, text in bad]})
    return some


def initial_states():
    rows = []
    for env in GAMES.values():
        seeds = [0, 1, 2, 2**32, 2**64 - 1, 2**127 + 12345, 2**128 - 1] + [seed_of(golden_id(env, i)) for i in range(9)]
        for seed in seeds:
            state = env.initial(stream(seed))
            rows.append({"what": env.id, "input": str(seed), "want": {"observation": env.observe(state).tolist(), "prompt": env.prompt(state), "difficulty": env.difficulty(state), "truth": digest("truth", env.truth(state))}})
    write("initial-states.json", {"vectors": rows})


# Forms of a reply from which the answer, "@", is read.
READ = [
    "@", "So.\n@", "I say C3.\r@", "C3\n@", "@\n", "@\r\n \n\n", " @ ", "@.", "@...", " @ . ", "*@*", "**@**", "***@***", "_@_", "__@__", "**_@_**", "`@`", "``@``", '"@"',
    "$@$", "$$@$$", "$$ @ $$", "\\(@\\)", "\\[ @ \\]", "\\boxed{@}", "\\text{@}", "\\(\\boxed{\\text{@}}\\)", "$\\boxed{@}$.", "**@.**", "**@**.", "**`@`.**", '"**@**."', "\x1b[1m@\x1b[0m", "# So\n\n**@**.\n\n",
]  # fmt: skip
# Forms from which "@" is not read, most of them because the last line has other text than pairs around it.
NOT_READ = [
    "", " ", "\n \n", ".", "**", "****", "```", "\\boxed{}", "Answer: @", "Answer: **@**", "**Answer:** @", "**Answer: @**", "@ or @", '"@" or "@"', "*@* *@*", "@\n```", "```text\n@\n```", "~@~", "**@\n**", "@\nWell.",
    "**@", "@**", "*@_", "**@*", '"@', "$@", "\\boxed{@", "\\boxed@}", "\\boxed{@}{@}", "\\boxed{@}\\boxed{@}", "\\boxed {@}", "\\Boxed{@}", "\\frac{@}", "{@}", "\\(@\\]", "\\(@)", "\\\\(@\\\\)",
    "(@)", "[@]", "'@'", "\u201c@\u201d", "\u00ab@\u00bb", "<b>@</b>", "- @", "> @", "# @", "1. @", "@!", "@,", "@:", "@;", "= @", ".@", ". @", "@\t", "\u00a0@", "\u200b@", "@\u3002", "@\u2026", "\\*@\\*",
]  # fmt: skip


def dressed(forms, answer):
    return [form.replace("@", answer) for form in forms]


def parsed(env, text):
    action = env.parse(answer(recorded_text(text)))
    return "refused" if action is None else action if not isinstance(action, tuple) else list(action)


def replies():
    cases = [
        (TICTACTOE, [*dressed(READ, "B2"), "A1", "C3", "a1", "c3.", "**b2**"]),
        (TICTACTOE, [*dressed(NOT_READ, "B2"), "A4", "A0", "D1", "d1", "A", "1A", "A 1", "A1 B2", "A10", "A01", "\uff21\uff11", "\uff41\uff11", "A\uff11", "\u0410\u0031", "A\u0661", "AA1", "a1b2"]),
        (MULT8, [*dressed(["@", "@.", "**@**", "\\boxed{@}", "$@$\n"], "1234567890123456"), "100000000000000", "9999999999999999", "1\n2\n123456789012345"]),
        (MULT8, ["123,456,789,012,345", "1,234,567,890,123,456", "**1,234,567,890,123,456**.", "$$999,999,999,999,999$$"]),
        (MULT8, ["", "0", "012345678901234", "99999999999999", "12345678901234567", "= 1234567890123456", "Answer: 1234567890123456", "+1234567890123456", "1.234567890123456", "1234567890123456.0", "1e15", "0x11D4B3C2A1908", "\uff11234567890123456", "\u0661234567890123456", "123456789012345n"]),
        (MULT8, ["1,00", "1,234,567,890,123", "12,345,678,901,234", "12,345,678,901,234,567", "0,123,456,789,012,345", ",123,456,789,012,345", "123,456,789,012,345,", "1234,567,890,123,456", "1,234,567,890,123,45", "1,234,567,8901,23456", "1,234,567890,123,456", "12,34,567,890,123,456", "1,2345,6789,0123,456", "1,,234,567,890,123,456", "1 234 567 890 123 456", "1.234.567.890.123.456", "1, 234,567,890,123,456", "1\uff0c234\uff0c567\uff0c890\uff0c123\uff0c456", "1'234'567'890'123'456", "1_234_567_890_123_456", "1{,}234{,}567{,}890{,}123{,}456", "1\\,234\\,567\\,890\\,123\\,456"]),
        (HEX, [*dressed(["@", "@.", "`@`", "\\(\\text{@}\\)", '"@"\n'], "K11"), "A1", "B10", "G7", "So\rB2", "K1", "a1", "k11", "b10"]),
        (HEX, ["", "A0", "A01", "A12", "A100", "L1", "l1", "1A", "A 1", "A1 B2", "AA1", "\uff21\uff11", "A\uff11", "A\u0661", "\u200bA1", "\u01311", "\u212a1", "row A, column 1", "A,1", "A-1", "(A1)"]),
        (PACK, [*dressed(["@", "@.", "**@**", "\\[ @ \\]", "`@`.\n"], "0,0,12,7 12,0,5,7"), "So\n99,99,99,99", "0,0,0,0", "0,0,12,7 0,0,0,0", "0,0,0,0 1,2,3,4", " ".join(["1,2,3,4"] * 32)]),
        (PACK, ["", "0,0,12", "0,0,12,7,", ",0,0,12,7", "0,0,12,7  1,1,1,1", "00,0,12,7", "0,0,012,7", "0,0,12,100", "0,0,12,1,000", "0, 0,12,7", "0;0;12;7", "0,0,12,7,5,5,5,5", "-1,0,12,7", "0.0,0,12,7", "0,0,1\uff12,7", "(0,0,12,7) (12,0,5,7)", "0,0,12,7. 12,0,5,7", "**0,0,12,7** **12,0,5,7**", " ".join(["1,2,3,4"] * 33)]),
    ]  # fmt: skip
    rows = [
        {"what": env.id, "input": text, "want": parsed(env, text)}
        for env, texts in cases
        for text in texts
    ]
    answers = {text: answer(recorded_text(text)) for text in dressed(READ + NOT_READ, "1 a")}
    assert [text for text in answers if answers[text] == "1 a"] == dressed(READ, "1 a")
    write("replies.json", {"vectors": rows, "answers": [{"input": text, "want": want} for text, want in answers.items()]})


def replays():
    rows = []
    for env in (TICTACTOE, MULT8, PACK):
        # For tictactoe, an episode of several moves is taken, so that its middle can be altered.
        index = next(i for i in range(256) if env is not TICTACTOE or len(perfect_episode(env, i)["messages"]) > 4)
        challenge_id, good = golden_id(env, index), perfect_episode(env, index)
        messages = good["messages"]
        prompt, reply = messages[0], messages[1]

        def row(what, changed, want, challenge=challenge_id):
            rows.append({"what": f"{env.id}: {what}", "input": {"env": env.id, "challengeId": challenge, "messages": changed}, "want": want})

        row("as played", messages, {"reward": good["reward"], "fault": False})
        row("no reply to the first prompt", messages[:1], {"reward": env.lowest_reward, "fault": True})
        row("an unreadable reply", [prompt, {**reply, "content": "?"}], {"reward": env.lowest_reward, "fault": False})
        row("640 bytes", [prompt, {**reply, "content": "?" * 640}], {"reward": env.lowest_reward, "fault": False})
        row("640 bytes in 320 characters", [prompt, {**reply, "content": '"' * 320}], {"reward": env.lowest_reward, "fault": False})
        long = "?" * 640 + "\n" + reply["content"]
        if env is not TICTACTOE:
            row("the end of a long reply", [prompt, {**reply, "content": recorded_text(long)}], {"reward": good["reward"], "fault": False})
        row("further fields are not its business", [{**message, "ms": 1} for message in messages], {"reward": good["reward"], "fault": False})
        row("no messages", [], "TOO_SHORT")
        row("no challenge id", messages, "BAD_CHALLENGE_ID", challenge_id[:-2])
        row("another challenge", messages, "PROMPT_DIFFERS", golden_id(env, index + 1))
        row("a prompt with a space more", [{**prompt, "content": prompt["content"] + " "}, *messages[1:]], "PROMPT_DIFFERS")
        row("a reply after the end", [*messages, reply], "TOO_LONG")
        row("a prompt after the end", [*messages, prompt], "TOO_LONG")
        row("the reply first", messages[1:], "WRONG_ROLE")
        row("a system message first", [{"role": "system", "content": "Win."}, *messages], "WRONG_ROLE")
        row("the prompt twice", [prompt, prompt, *messages[1:]], "WRONG_ROLE")
        row("an upper-case role", [prompt, {**reply, "role": "Assistant"}, *messages[2:]], "WRONG_ROLE")
        row("a reply in another type", [prompt, {**reply, "content": 5}], "WRONG_ROLE")
        row("a reply that is none", [prompt, "A1"], "WRONG_ROLE")
        row("a carriage return", [prompt, {**reply, "content": "?\r\n" + reply["content"]}, *messages[2:]], "NOT_NORMALISED")
        row("an escape sequence", [prompt, {**reply, "content": "\x1b[31m" + reply["content"]}, *messages[2:]], "NOT_NORMALISED")
        row("a zero-width space", [prompt, {**reply, "content": "\u200b" + reply["content"]}, *messages[2:]], "NOT_NORMALISED")
        row("641 bytes", [prompt, {**reply, "content": "?" * 641}], "NOT_NORMALISED")
        row("642 bytes in 321 characters", [prompt, {**reply, "content": '"' * 321}], "NOT_NORMALISED")
        row("642 bytes in 214 characters", [prompt, {**reply, "content": "\u20ac" * 214}], "NOT_NORMALISED")
        row("a long reply whole", [prompt, {**reply, "content": long}, *messages[2:]], "NOT_NORMALISED")
        row("a first line before more than fits", [prompt, {**reply, "content": recorded_text("?" * 700) + "?" * 100}], "NOT_NORMALISED")
        if env is TICTACTOE:
            row("no reply to the second prompt", messages[:3], {"reward": env.lowest_reward, "fault": True})
            row("a move on a taken cell", taken(messages), {"reward": env.lowest_reward, "fault": False})
            row("ends in the middle, with a reply", messages[:2], "TOO_SHORT")
            row("a prompt in the middle altered", [*messages[:2], {**messages[2], "content": messages[0]["content"]}, *messages[3:]], "PROMPT_DIFFERS")
            row("a turn left out", [*messages[:2], *messages[4:]], "PROMPT_DIFFERS" if len(messages) > 4 else "TOO_SHORT")
    write("replays.json", {"vectors": rows})


def golden_json(env, index):
    played = golden_episode(env.id, index)
    return {side: as_json(played[side]) for side in played} if env is HEX else as_json(played)


def scripted(messages):
    """Returns the scripted player's reply to a prompt."""
    rows = re.findall("^[A-K]((?: [.XO])+)$", messages[0]["content"], re.MULTILINE)
    return HEX.best_reply(tuple(".XO".index(mark) for row in rows for mark in row.split()))


def games():
    """Writes games.json: transcripts of both players, as played and altered."""
    rows = []
    challenge = golden_id(HEX, 43)
    played = play_game(HEX.id, challenge, {"champion": scripted, "contender": scripted})
    mine, other = (as_json(played[side])["messages"] for side in ("champion", "contender"))
    prompt, reply = mine[0], mine[1]

    def row(what, champion, contender, want, id=challenge):
        recorded = {"champion": champion, "contender": contender}
        result = replay_game(HEX.id, id, recorded)
        got = result if isinstance(result, str) else {side: asdict(result[side]) for side in result}
        assert got == want, (what, got)
        rows.append({"what": what, "input": {"env": HEX.id, "challengeId": id, "recorded": recorded}, "want": want})

    def message(text):
        return {"role": "assistant", "content": text}

    def result(champion, contender, faulty=None):
        return {"champion": {"reward": champion, "fault": faulty in ("champion", "both")}, "contender": {"reward": contender, "fault": faulty in ("contender", "both")}}

    row("as played", mine, other, result(1, -1))
    row("never begun", [], [], result(-1, -1, "both"))
    row("no reply to the first prompt", mine[:1], [], result(-1, 1, "champion"))
    row("no reply to the other's first prompt", mine[:2], other[:1], result(1, -1, "contender"))
    row("no reply later", mine[:3], other[:2], result(-1, 1, "champion"))
    row("an unreadable reply", [prompt, message("?")], [], result(-1, 1))
    row("an empty reply", [prompt, message("")], [], result(-1, 1))
    row("640 bytes", [prompt, message("?" * 640)], [], result(-1, 1))
    row("the end of a long line", [prompt, message("?" * 544)], [], result(-1, 1))
    row("a taken cell", mine[:2], [other[0], message(mine[1]["content"])], result(1, -1))
    row("a cell outside the board", [prompt, message("K11")], [], result(-1, 1))
    row("further fields are not its business", [{**message, "ms": 1} for message in mine], other, result(1, -1))
    row("no challenge id", mine, other, "BAD_CHALLENGE_ID", challenge[:-2])
    row("another challenge", mine, other, "PROMPT_DIFFERS", golden_id(HEX, 26))
    row("the sides exchanged", other, mine, "PROMPT_DIFFERS")
    row("nothing of the first player", [], other, "TOO_SHORT")
    row("nothing of the second player", mine, [], "TOO_SHORT")
    row("the first player's list ends with a reply, and the game goes on", mine[:2], other, "TOO_SHORT")
    row("a fault, and the game goes on in the other's list", mine[:3], other, "TOO_LONG")
    row("a fault, and the game goes on in the first player's", mine, other[:1], "TOO_LONG")
    row("an illegal move, and the game goes on", [prompt, message("?"), *mine[2:]], other, "TOO_LONG")
    row("a prompt after the winning move", mine, [*other, mine[0]], "TOO_LONG")
    row("a reply after the winning move", [*mine, reply], other, "TOO_LONG")
    row("another move", [prompt, message("A1"), *mine[2:]], other, "PROMPT_DIFFERS")
    row("a move in the other's name", [prompt, message(other[1]["content"]), *mine[2:]], other, "PROMPT_DIFFERS")
    row("a prompt altered", [{**prompt, "content": prompt["content"] + " "}, *mine[1:]], other, "PROMPT_DIFFERS")
    row("the other's prompt", mine, [mine[0], *other[1:]], "PROMPT_DIFFERS")
    row("a turn left out of both", mine[2:], other[2:], "PROMPT_DIFFERS")
    row("lines before the last", [prompt, message("So\n" + reply["content"]), *mine[2:]], other, "NOT_NORMALISED")
    row("a line feed behind", [prompt, message(reply["content"] + "\n"), *mine[2:]], other, "NOT_NORMALISED")
    row("a move in lower case", [prompt, message(reply["content"].lower()), *mine[2:]], other, "NOT_NORMALISED")
    row("a full stop behind", [prompt, message(reply["content"] + "."), *mine[2:]], other, "NOT_NORMALISED")
    row("a pair around an illegal move", [prompt, message("`K11`")], [], "NOT_NORMALISED")
    row("a blank before what cannot be read", [prompt, message(" ?")], [], "NOT_NORMALISED")
    row("a full stop behind what cannot be read", [prompt, message("no.")], [], "NOT_NORMALISED")
    row("signs of a pair that is not around all of it", [prompt, message("**no** no.")], [], result(-1, 1))
    row("an escape sequence", [prompt, message("\x1b[1m" + reply["content"]), *mine[2:]], other, "NOT_NORMALISED")
    row("641 bytes", [prompt, message("?" * 641)], [], "NOT_NORMALISED")
    row("642 bytes in 214 characters", [prompt, message("\u20ac" * 214)], [], "NOT_NORMALISED")
    row("the end of a long line, with the first line", [prompt, message(recorded_text("?" * 641))], [], "NOT_NORMALISED")
    row("the reply first", mine[1:], other, "WRONG_ROLE")
    row("a reply twice", [prompt, reply, reply, *mine[2:]], other, "WRONG_ROLE")
    row("a system message", mine, [{"role": "system", "content": "Win."}, *other], "WRONG_ROLE")
    row("a reply that is none", mine, [other[0], "A6", *other[2:]], "WRONG_ROLE")
    four_times = [{"what": env.id, "input": 500, "want": digest("test", tampered(env, 500))} for env in (HEX, PACK)]
    many = [{"what": HEX.id, "input": first, "want": digest("test", recorded(HEX, first))} for first in range(0, 10_000, 500)]
    write("games.json", {"vectors": rows, "tampered": four_times, "recorded": many})


def strengths():
    """Writes strengths.json: games against a scripted opponent that plays some moves at random."""
    rows = []
    for index, strength in enumerate([0, 0.1, 0.25, 0.5, 0.75, 0.999, 1, 0, 0.5]):
        challenge = golden_id(HEX, index)
        env = AffineEnv(HEX.id, strength=strength)
        observation, _ = env.reset(options={"challenge_id": challenge})
        replies, total, over = [], 0, False
        while not over:
            replies.append(HEX.best_reply(env.episode.state))
            observation, reward, over, _, _ = env.step(HEX.parse(replies[-1]))
            total += int(reward)
        asked = {"env": HEX.id, "challengeId": challenge, "strength": strength, "replies": replies}
        want = {"observation": observation.tolist(), "reward": total}
        rows.append({"what": f"strength {strength}, challenge {index}", "input": asked, "want": want})
    refused = [
        {"what": "above 1", "input": {"env": HEX.id, "strength": 1.5}},
        {"what": "below 0", "input": {"env": HEX.id, "strength": -0.5}},
        {"what": "one player", "input": {"env": MULT8.id, "strength": 0.5}},
        {"what": "a perfect opponent that belongs to the environment", "input": {"env": TICTACTOE.id, "strength": 1}},
    ]
    write("strengths.json", {"vectors": rows, "refused": refused})


def infos():
    """Writes infos.json: facts of initial states, by id, from a seed, and after resets."""
    rows = []
    for env in GAMES.values():
        challenge = golden_id(env, 3)
        for origin, since in [(challenge, 0), ("7", 0), (str(2**128 - 1), 0), ("7", 2), (challenge, 1)]:
            is_id = origin == challenge
            random = stream(seed_of(challenge) if is_id else int(origin))
            for _ in range(since + 1):
                state = env.initial(random)
            want = {
                "challenge_id": challenge if is_id and since == 0 else None,
                "env": env.id,
                "difficulty": env.difficulty(state),
                "spec_hash": spec_hash(env.id),
                "ground_truth_commitment": digest("truth", f"{origin}+{since}" if since else origin, env.truth(state)),
            }
            asked = {"env": env.id, "challengeId" if is_id else "seed": origin, "resetsAfter": since}
            how = f"{env.id}, {'a challenge id' if is_id else f'seed {origin}'}, {since} resets after it"
            rows.append({"what": how, "input": asked, "want": want})
    write("infos.json", {"vectors": rows})


def tampered(env, episodes):
    """Returns the replays of altered golden episodes, four for each."""
    return [result for index in range(episodes) for result in replays_of(env, index, 4)[1:]]


def recorded(env, first):
    """Returns the replays of 500 golden episodes, unaltered and altered once."""
    return [result for index in range(first, first + 500) for result in replays_of(env, index, 1)]


def replays_of(env, index, times):
    """Returns the replay of a golden episode as recorded, then of `times` alterations."""
    played = golden_episode(env.id, index)
    lists = [list(each.messages) for each in (played.values() if env is HEX else [played])]
    random = stream(index)
    results = [replayed(env, golden_id(env, index), lists)]
    for _ in range(times):
        altered = [list(each) for each in lists]
        for _ in range(random.integers(1, 4)):
            alter(altered, random)
        results.append(replayed(env, golden_id(env, index), altered))
    return results


def alter(lists, random):
    """Makes one random change of one message."""
    kind, side = int(random.integers(0, 8)), int(random.integers(0, len(lists)))
    messages = lists[side]
    at = int(random.integers(0, len(messages) + 1))
    if at == len(messages):
        messages.append({"role": "user" if kind % 2 else "assistant", "content": "A1"})
        return
    message = messages[at]
    text = message["content"]
    if kind == 0:
        del messages[at]
    elif kind == 1:
        messages.insert(at, message)
    elif kind == 2:
        del messages[at:]
    elif kind == 3:
        where = int(random.integers(0, len(text) + 1))
        messages[at] = {**message, "content": text[:where] + "B" + text[where + 1 :]}
    elif kind == 4:
        messages[at] = {**message, "content": text + "\n"}
    elif kind == 5:
        lists[-1 - side].append(message)
    elif kind == 6:
        messages[at] = {**message, "role": "user" if message["role"] == "assistant" else "assistant"}
    else:
        messages[at] = {**message, "content": text[:-1]}


def replayed(env, challenge, lists):
    if env is not HEX:
        result = replay(env.id, challenge, lists[0])
        return [result.reward, result.fault] if isinstance(result, Replayed) else result
    result = replay_game(env.id, challenge, dict(zip(("champion", "contender"), lists, strict=True)))
    return result if isinstance(result, str) else [[each.reward, each.fault] for each in result.values()]


def taken(messages):
    """Returns messages in which the first move is repeated at the second prompt."""
    return [*messages[:3], messages[1]]


def spec_hashes():
    hashes, episodes = [], []
    for env in GAMES.values():
        played = [golden_json(env, index) for index in range(16)]
        hashes.append({"what": "256 golden episodes", "input": env.id, "want": spec_hash(env.id)})
        episodes += [{"what": env.id, "input": index, "want": played[index]} for index in range(16) if len(canonical_text(played[index]).encode()) < 4000]
    many = [as_json(golden_episode(env.id, index)) for env in (TICTACTOE, MULT8) for index in range(500)]
    large = [{"what": "500 golden episodes of each", "want": digest("test", many)}]
    write("spec-hashes.json", {"vectors": hashes, "episodes": episodes, "large": large})


def normalised():
    cases = [
        ("plain", "Let me see.\nA1"), ("letters stay as they are", "e\u0301 \u00e9 \uff11 \u0410 \U0001f600"), ("empty", ""),
        ("CR LF", "a\r\nb"), ("CR", "a\rb"), ("CR CR LF", "a\r\r\nb"), ("LF CR", "a\n\rb"), ("NEL, LS, PS", "a\x85b\u2028c\u2029d"),
        ("tab", "a\tb"), ("VT, FF, NUL, DEL", "\x0b\x0c\x00\x7f"), ("stray C1 controls", "\x80\x9c\x8d"), ("BEL", "\x07"),
        ("CSI", "\x1b[1;31mA\x1b[0m"), ("CSI with private and intermediate bytes", "\x1b[?25l\x1b[1 q\x1b[>0c."), ("C1 CSI", "\x9b31mA\x9bH"),
        ("CSI at the end", "A\x1b["), ("CSI broken off by a line", "A\x1b[31\nB1"), ("CSI broken off by a letter of no use", "\x1b[31\u00e9"),
        ("OSC ended by BEL", "\x1b]0;title\x07A1"), ("OSC ended by ST", "\x1b]8;;http://x\x1b\\A1\x1b]8;;\x1b\\"), ("OSC ended by C1 ST", "\x1b]0;t\x9cA1"),
        ("C1 OSC", "\x9d0;t\x07A1"), ("OSC without end takes its line", "A\x1b]0;t\nB1"), ("OSC without end", "A\x1b]0;t"), ("OSC ended by another sequence", "\x1b]0;t\x1b[1mA1"),
        ("DCS, SOS, PM, APC", "\x1bPa\x1b\\1\x1bXb\x1b\\2\x1b^c\x1b\\3\x1b_d\x1b\\4\x90e\x9c5"), ("single escapes", "\x1bcA\x1b7B\x1b(BC\x1bED"),
        ("ESC alone", "A\x1b"), ("ESC before a line", "A\x1b\nB"), ("ESC ESC", "\x1b\x1b[1mA"), ("removal makes no sequence", "\x1b\x1b[0m[31mA"),
        ("nor a C1 one", "\x9b\x9b31m31mA"), ("nor a line end", "\r\x1b[0m\n"), ("nor a pair of surrogates", "\ud83d\x1b[0m\ude00"),
        ("a pair of surrogates is a character", "\U0001f600"), ("lone surrogates", "\ud800A\udc00"), ("in the wrong order", "\ude00\ud83d"),
        ("zero width", "A\u200b\u200c\u200d\u2060\ufeff1"), ("bidirectional", "\u202eA1\u202c\u2066B\u2069\u200e\u200f\u061c"), ("soft hyphen", "A\u00ad1"),
        ("variation selectors", "\u2764\ufe0f"), ("tag characters", "A\U000e0041\U000e007f"), ("Hangul fillers", "\u115f\u3164\uffa0"), ("annotations", "\ufff9A\ufffb"),
        ("replacement character stays", "\ufffd"), ("no-break and other spaces stay", "\u00a0\u2003\u3000"), ("trailing white space stays", " A1 \n\n"),
    ]  # fmt: skip
    # The input is JSON in a string: lone surrogates do not survive every reader of a whole file.
    rows = [{"what": what, "input": json.dumps(text), "want": normalise(text)} for what, text in cases]
    write("normalise.json", {"vectors": rows})


def recorded_texts():
    """Writes recorded.json: replies as parts with repetitions, and the recorded texts."""
    thought, fake = "I weigh the lines, \"A\" first.\n", f"[5 bytes, {'0' * 64}]\n"
    once = recorded_text("x" * 700 + "\nA1")
    cases = [
        ("empty", []), ("short", [("Let me see.\nA1", 1)]),
        ("640 bytes", [("x", 640)]), ("641 bytes", [("x", 641)]),
        ("640 bytes, a line feed at the end", [("x", 638), ("\n", 1)]), ("641 bytes, a line feed at the end", [("x", 639), ("\n", 1)]),
        ("320 quotes", [('"', 320)]), ("321 quotes", [('"', 321)]), ("320 backslashes", [("\\", 320)]), ("321 backslashes", [("\\", 321)]),
        ("320 line feeds", [("\n", 320)]), ("321 line feeds", [("\n", 321)]),
        ("quotes cut at a character", [('"', 320), ("x", 1)]), ("escapes of every kind", [('a"\\\n', 120)]),
        ("320 characters of 2 bytes", [("\u00e9", 320)]), ("321 characters of 2 bytes", [("\u00e9", 321)]), ("characters of 2 bytes cut", [("\u00e9", 400), ("x", 1)]),
        ("213 characters of 3 bytes", [("\u20ac", 213)]), ("214 characters of 3 bytes", [("\u20ac", 214)]),
        ("160 characters of 4 bytes", [("\U0001f600", 160)]), ("161 characters of 4 bytes", [("\U0001f600", 161)]),
        ("characters of 4 bytes cut", [("\U0001f600", 200), ("x", 1)]), ("and cut after two more", [("\U0001f600", 200), ("xy", 1)]), ("and after three", [("\U0001f600", 200), ("xyz", 1)]),
        ("213 lone surrogates", [("\ud800", 213)]), ("214 lone surrogates", [("\udc00", 214)]), ("a pair of two parts", [("x", 700), ("\ud83d", 1), ("\ude00", 1)]),
        ("pairs and halves", [("\ude00\ud83d\ude00", 150)]),
        ("thoughts before the answer", [(thought, 60), ("A1", 1)]), ("lines with CR LF", [("I weigh them.\r\n", 60), ("B2", 1)]),
        ("a last line of 544 bytes", [(thought, 60), ("x", 544)]), ("a last line of 545 bytes", [(thought, 60), ("x", 545)]), ("a last line of 543 bytes in 272 characters", [(thought, 60), ('"', 271), ("x", 1)]),
        ("two lines of 544 bytes", [("x", 700), ("\nb\n", 1), ("x", 541)]), ("two lines of 545 bytes", [("x", 700), ("\nb\n", 1), ("x", 542)]),
        ("a long line and its line feed", [("x", 5000), ("\n", 1)]), ("a long line and two line feeds", [("x", 5000), ("\n\n", 1)]),
        ("a long last line", [(thought, 2), ("x", 5000)]), ("a long last line with spaces", [(" A1 ", 200)]),
        ("4096 bytes", [("x", 4093), ("\nA1", 1)]), ("256 KiB", [("x", 2**18 - 3), ("\nA1", 1)]), ("256 KiB of controls", [("\x7f", 2**18)]),
        ("control sequences that go", [("\x1b[1m", 1000), ("A1", 1)]), ("a control string that goes", [("\x1b]0;", 1), ("x", 5000), ("\x07A1", 1)]),
        ("640 bytes as normalised", [("x", 637), ("\x00", 1)]), ("641 bytes as normalised", [("x", 638), ("\x00", 1)]), ("tabs", [("\t", 300), ("\nA1", 1)]), ("invisible characters", [("\u200b", 181), ("\n", 1), ("\u200b", 181)]),
        ("a first line of its own", [(fake + "A1", 1)]), ("a first line of its own, and 640 bytes", [(fake, 1), ("x", 563)]), ("a first line of its own, and 641 bytes", [(fake, 1), ("x", 564)]),
        ("what was recorded", [(once, 1)]), ("what was recorded, and more", [(once, 1), ("\n" + "x" * 600, 1)]),
        ("the longest packing", [(thought, 60), (" ".join(["10,10,10,10"] * 32), 1)]),
    ]  # fmt: skip
    # Parts are JSON in a string: lone surrogates do not survive every reader of a whole file.
    rows = [
        {
            "what": what,
            "input": [[json.dumps(text), times] for text, times in parts],
            "want": recorded_text("".join(text * times for text, times in parts)),
        }
        for what, parts in cases
    ]
    write("recorded.json", {"vectors": rows})


assert len(starts()) == 3191
challenge_ids()
initial_states()
replies()
replays()
games()
strengths()
infos()
normalised()
recorded_texts()
spec_hashes()
