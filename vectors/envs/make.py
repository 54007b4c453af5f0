"""Writes the vectors of this folder: a second implementation, in plain Python and NumPy, of what packages/envs does.

python3 vectors/envs/make.py   (NumPy 2.4; some seconds)
"""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SOURCE = "vectors/envs/make.py: plain Python and NumPy " + np.__version__

# ---- BLAKE3 (github.com/BLAKE3-team/BLAKE3-specs), unkeyed, 32 bytes

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
MASK = 0xFFFFFFFF
START, END, PARENT, ROOT = 1, 2, 4, 8


def compress(chain, block, counter, length, flags):
    v = chain + IV[:4] + [counter & MASK, counter >> 32, length, flags]

    def rotate(x, n):
        return (x >> n | x << (32 - n)) & MASK

    def mix(a, b, c, d, x, y):
        v[a] = (v[a] + v[b] + x) & MASK
        v[d] = rotate(v[d] ^ v[a], 16)
        v[c] = (v[c] + v[d]) & MASK
        v[b] = rotate(v[b] ^ v[c], 12)
        v[a] = (v[a] + v[b] + y) & MASK
        v[d] = rotate(v[d] ^ v[a], 8)
        v[c] = (v[c] + v[d]) & MASK
        v[b] = rotate(v[b] ^ v[c], 7)

    m = list(block)
    for _ in range(7):
        for i in range(4):
            mix(i, 4 + i, 8 + i, 12 + i, m[2 * i], m[2 * i + 1])
        for i in range(4):
            mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i])
        m = [m[i] for i in PERMUTATION]
    return [a ^ b for a, b in zip(v[:8], v[8:])]


def words(data):
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, 64, 4)]


def chunk(data, counter, root):
    blocks = [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
    chain = IV
    for i, block in enumerate(blocks):
        last = i == len(blocks) - 1
        flags = (START if i == 0 else 0) | ((END | root) if last else 0)
        chain = compress(chain, words(block.ljust(64, b"\0")), counter, len(block), flags)
    return chain


def tree(data, counter, root):
    if len(data) <= 1024:
        return chunk(data, counter, root)
    left = 1 << ((len(data) - 1) // 1024).bit_length() - 1
    halves = tree(data[: left * 1024], counter, 0) + tree(data[left * 1024 :], counter + left, 0)
    return compress(IV, halves, 0, 64, PARENT | root)


def blake3(data):
    return b"".join(w.to_bytes(4, "little") for w in tree(data, 0, ROOT))


assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"

# ---- digests, ids, seeds


def canonical(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def digest(tag, *fields):
    return blake3(canonical(["affine/1", tag, *fields])).hex()


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def seed_of(challenge_id):
    return int(digest("seed", challenge_id)[:32], 16)


def stream(seed):
    generator = np.random.Generator(np.random.PCG64(seed))
    return lambda low, high: int(generator.integers(low, high))


# ---- text

STRING = "(?:\x1b[]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x00-\x1f\x7f-\x9f\u2028\u2029]*(?:\x07|\x1b\\\\|\x9c)?"
SEQUENCE = "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?|" + STRING + "|\x1b[ -/]*[0-~]"
HIDDEN = (
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
PATTERN = re.compile(f"(\r\n|[\r\x85\u2028\u2029])|({SEQUENCE})|{HIDDEN}")


def normalise(text):
    return PATTERN.sub(lambda m: "\n" if m[1] else "" if m[2] else "\ufffd", text)


# ---- environments: initial(draw), prompt, step → (state, reward, over) or None, parse, format, solve, sample(draw)


class Tictactoe:
    id = "tictactoe@0.1.0"
    lowest = -1
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    @staticmethod
    def mover(board):
        return 1 if board.count(1) == board.count(2) else 2

    @classmethod
    def won(cls, board, mark):
        return any(all(board[cell] == mark for cell in line) for line in cls.lines)

    @classmethod
    def put(cls, board, cell):
        return board[:cell] + (cls.mover(board),) + board[cell + 1 :]

    @classmethod
    @cache
    def value(cls, board):
        """(win 1, draw 0 or loss -1 for the mover; plies to the end)"""
        if cls.won(board, 3 - cls.mover(board)):
            return -1, 0
        moves = [cls.value(cls.put(board, cell)) for cell in range(9) if board[cell] == 0]
        if not moves:
            return 0, 0
        # Best value; then the quickest of wins, the slowest of losses. The plies of a draw do not matter.
        outcomes = [(-value, plies + 1) for value, plies in moves]
        return max(outcomes, key=lambda o: (o[0], -o[0] * o[1]))

    @classmethod
    @cache
    def best(cls, board):
        if cls.value(board)[1] == 0 and (cls.value(board)[0] != 0 or 0 not in board):
            return []
        want = cls.value(board)
        cells = []
        for cell in range(9):
            if board[cell] == 0:
                value, plies = cls.value(cls.put(board, cell))
                if -value == want[0] and (value == 0 or plies + 1 == want[1]):
                    cells.append(cell)
        return cells

    @classmethod
    @cache
    def positions(cls):
        seen = set()

        def visit(board):
            if board in seen:
                return
            seen.add(board)
            if not cls.won(board, 3 - cls.mover(board)):
                for cell in range(9):
                    if board[cell] == 0:
                        visit(cls.put(board, cell))

        visit((0,) * 9)

        def careless(board):
            if cls.won(board, 3 - cls.mover(board)) or 0 not in board or cls.value(board)[0] < 0:
                return False
            moves = [-cls.value(cls.put(board, cell))[0] for cell in range(9) if board[cell] == 0]
            return min(moves) < cls.value(board)[0]

        return sorted(board for board in seen if careless(board))

    @classmethod
    def initial(cls, draw):
        return cls.positions()[draw(0, len(cls.positions()))]

    @classmethod
    def step(cls, board, cell, draw):
        if board[cell] != 0:
            return None
        agent = cls.mover(board)
        board = cls.put(board, cell)
        if cls.won(board, agent):
            return board, 1, True
        if 0 not in board:
            return board, 0, True
        best = cls.best(board)
        board = cls.put(board, best[draw(0, len(best))])
        if cls.won(board, 3 - agent):
            return board, -1, True
        return board, 0, 0 not in board

    @classmethod
    def prompt(cls, board):
        mine, theirs = "XO" if cls.mover(board) == 1 else "OX"
        rows = [" ".join([name] + [".XO"[mark] for mark in board[first : first + 3]]) for name, first in ("A0", "B3", "C6") for first in [int(first)]]
        return (
            f'Tic-tac-toe: you are {mine}, the opponent is {theirs}, "." is an empty cell, and it is your move.\n\n'
            f"  1 2 3\n{rows[0]}\n{rows[1]}\n{rows[2]}\n\n"
            "You and the opponent put one mark in an empty cell in turn; three of one mark in a row, column or diagonal win.\n"
            "A full board without that is a draw. The opponent plays perfectly. A reply that is not a legal move loses.\n"
            "You may think first. Give your move as row and column, from A1 to C3, alone on the last line, with nothing after it."
        )

    @staticmethod
    def parse(reply):
        line = reply.split("\n")[-1]
        return "ABC".index(line[0]) * 3 + int(line[1]) - 1 if re.fullmatch("[ABC][123]", line) else None

    @staticmethod
    def format(cell):
        return "ABC"[cell // 3] + "123"[cell % 3]

    @classmethod
    def solve(cls, board):
        return cls.format(cls.best(board)[0])

    @staticmethod
    def sample(draw):
        return draw(0, 9)


class Mult8:
    id = "mult8@0.1.0"
    lowest = 0

    @staticmethod
    def initial(draw):
        return draw(10**7, 10**8), draw(10**7, 10**8)

    @staticmethod
    def step(factors, answer, _):
        return factors, int(answer == str(factors[0] * factors[1])), True

    @staticmethod
    def prompt(factors):
        return (
            f"Compute {factors[0]} * {factors[1]}.\n"
            "You may think first. Give the product, digits only, alone on the last line, with nothing after it."
        )

    @staticmethod
    def parse(reply):
        line = reply.split("\n")[-1]
        return line if re.fullmatch("[1-9][0-9]{14,15}", line) else None

    @staticmethod
    def format(answer):
        return answer

    @staticmethod
    def solve(factors):
        return str(factors[0] * factors[1])

    @staticmethod
    def sample(draw):
        return "".join("0123456789"[draw(0, 10)] for _ in range(draw(15, 17)))


# ---- episodes and the golden player

SPOILED = [
    lambda good: "",
    lambda good: good + "\n",
    lambda good: good + " ",
    lambda good: " " + good,
    lambda good: good + ".",
    lambda good: f"**{good}**",
    lambda good: "0" + good,
    lambda good: good[:-1],
    lambda good: good.lower(),
    lambda good: re.sub("[0-9]", lambda digit: chr(ord(digit[0]) + 0xFEE0), good),
]


def golden_reply(env, state, draw):
    good, kind = env.solve(state), draw(0, 16)
    if kind < 6:
        return good
    if kind < 12:
        return env.format(env.sample(draw))
    if kind == 12:
        return f"\x1b[1mSo\u202e:\x1b]0;x\x07\r\n{good}"
    if kind == 13:
        return SPOILED[draw(0, 10)](good)
    if kind == 14:
        return None
    return "x" * (4096 - 1 - len(good) + draw(0, 3)) + "\n" + good


def play(env, challenge_id, agent):
    draw = stream(seed_of(challenge_id))
    state, messages, total = env.initial(draw), [], 0
    while True:
        messages.append({"role": "user", "content": env.prompt(state)})
        reply = agent(state)
        if reply is None:
            return {"messages": messages, "reward": env.lowest, "fault": "no-reply"}
        reply = normalise(reply)
        if len(reply.encode()) > 4096:
            return {"messages": messages, "reward": env.lowest, "fault": "oversize"}
        messages.append({"role": "assistant", "content": reply})
        action = env.parse(reply)
        outcome = None if action is None else env.step(state, action, draw)
        if outcome is None:
            return {"messages": messages, "reward": env.lowest}
        state, reward, over = outcome
        total += reward
        if over:
            return {"messages": messages, "reward": total}


def golden_id(env, index):
    return base58(bytes.fromhex(digest("golden", env.id, index)))


def golden_episode(env, index):
    draw = stream(index)
    return play(env, golden_id(env, index), lambda state: golden_reply(env, state, draw))


# ---- the files


def write(name, data):
    head, *rest = [f"{json.dumps(key)}: " for key in data]
    lines = ["{", f'"source": {json.dumps(SOURCE)},']
    for number, (key, items) in enumerate(data.items()):
        body = ",\n".join(json.dumps(item) for item in items)
        lines.append(f"{json.dumps(key)}: [\n{body}\n]" + ("," if number < len(data) - 1 else ""))
    (HERE / name).write_text("\n".join(lines + ["}"]) + "\n")


def challenge_ids():
    base = {
        "genesis": digest("x", 0), "netuid": 120, "env": "mult8@0.1.0", "specHash": digest("x", 1), "duel": digest("x", 2),
        "validator": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "epoch": 7, "beacon": digest("x", 3),
        "secret": digest("x", 4), "index": 0,
    }  # fmt: skip
    cases = [("all parts", base)]
    for key in base:
        other = base[key] + 1 if isinstance(base[key], int) else "tictactoe@0.1.0" if key == "env" else digest("x", key)
        cases.append((f"another {key}", {**base, key: other}))
    good = []
    for what, parts in cases:
        made = base58(bytes.fromhex(digest("challenge", *parts.values())))
        good.append({"what": what, "input": parts, "want": {"id": made, "seed": str(seed_of(made))}})
    ids = [("32 zeros", "1" * 32), ("zeros in front", base58(bytes(5) + bytes(range(1, 28)))), ("the greatest", base58(b"\xff" * 32))]
    good += [{"what": what, "input": None, "want": {"id": made, "seed": str(seed_of(made))}} for what, made in ids]
    some = good[0]["want"]["id"]
    bad = [
        ("empty", ""), ("31 bytes", base58(b"\x01" * 31)), ("33 bytes", base58(b"\x01" * 33)), ("31 zeros", "1" * 31),
        ("33 zeros", "1" * 33), ("a zero byte too many", "1" + some), ("2^256", base58((1 << 256).to_bytes(33, "big"))),
        ("44 characters, above 2^256", "z" * 44), ("two characters missing", some[:-2]), ("0 is no digit", "0" + some[1:]),
        ("l is no digit", some[:-1] + "l"), ("I is no digit", some[:-1] + "I"), ("O is no digit", some[:-1] + "O"),
        ("a line feed at the end", some + "\n"), ("a space in front", " " + some), ("full-width digit", "\uff11" * 32),
        ("hex", digest("x", 0)), ("long", "z" * 10_000),
    ]  # fmt: skip
    write("challenge-ids.json", {"vectors": good, "refused": [{"what": what, "input": text} for what, text in bad]})
    return some


def initial_states():
    rows = []
    for env in (Tictactoe, Mult8):
        seeds = [0, 1, 2, 2**32, 2**64 - 1, 2**127 + 12345, 2**128 - 1] + [seed_of(golden_id(env, i)) for i in range(9)]
        for seed in seeds:
            state = env.initial(stream(seed))
            rows.append({"what": env.id, "input": str(seed), "want": {"observation": list(state), "prompt": env.prompt(state)}})
    write("initial-states.json", {"vectors": rows})


def replies():
    cases = [
        (Tictactoe, ["A1", "C3", "B2", "Let me see.\nA3", "\nC1", "A1\nB3", "C1\n\nC2", "I say B1.\r\nB1"]),
        (Tictactoe, ["", "a1", "A4", "A0", "D1", "A", "1A", "A1.", " A1", "A1 ", "A1\n", "A1 B2", "A10", "\uff21\uff11", "\u0410\u0031", "A\u0661", "A1\r", "A1\r\n", "\u200bA1"]),
        (Mult8, ["100000000000000", "9999999999999999", "= \n1234567890123456", "1\n2\n123456789012345"]),
        (Mult8, ["", "0", "012345678901234", "99999999999999", "12345678901234567", "1234567890123456 ", " 1234567890123456", "+1234567890123456", "1,234,567,890,123", "1.234567890123456", "1234567890123456.0", "1e15", "0x11D4B3C2A1908", "1234567890123456\n", "\uff11234567890123456", "\u0661234567890123456", "123456789012345n", "Answer: 1234567890123456"]),
    ]  # fmt: skip
    rows = [
        {"what": env.id, "input": text, "want": "refused" if env.parse(normalise(text)) is None else env.parse(normalise(text))}
        for env, texts in cases
        for text in texts
    ]
    write("replies.json", {"vectors": rows})


def replays():
    rows = []
    for env in (Tictactoe, Mult8):
        # A game of several moves for the first, so that there is a middle to tamper with.
        index = next(i for i in range(256) if env is Mult8 or len(golden_episode_perfect(env, i)["messages"]) > 4)
        challenge_id, good = golden_id(env, index), golden_episode_perfect(env, index)
        messages = good["messages"]
        prompt, reply = messages[0], messages[1]

        def row(what, changed, want, challenge=challenge_id):
            rows.append({"what": f"{env.id}: {what}", "input": {"env": env.id, "challengeId": challenge, "messages": changed}, "want": want})

        row("as played", messages, {"reward": good["reward"], "fault": False})
        row("no reply to the first prompt", messages[:1], {"reward": env.lowest, "fault": True})
        row("an unreadable reply", [prompt, {**reply, "content": "?"}], {"reward": env.lowest, "fault": False})
        row("4096 bytes", [prompt, {**reply, "content": "?" * 4096}], {"reward": env.lowest, "fault": False})
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
        row("4097 bytes", [prompt, {**reply, "content": "?" * 4097}], "OVERSIZE")
        row("4098 bytes in 1366 characters", [prompt, {**reply, "content": "\u20ac" * 1366}], "OVERSIZE")
        if env is Tictactoe:
            row("no reply to the second prompt", messages[:3], {"reward": env.lowest, "fault": True})
            row("a move on a taken cell", taken(messages), {"reward": env.lowest, "fault": False})
            row("ends in the middle, with a reply", messages[:2], "TOO_SHORT")
            row("a prompt in the middle altered", [*messages[:2], {**messages[2], "content": messages[0]["content"]}, *messages[3:]], "PROMPT_DIFFERS")
            row("a turn left out", [*messages[:2], *messages[4:]], "PROMPT_DIFFERS" if len(messages) > 4 else "TOO_SHORT")
    write("replays.json", {"vectors": rows})


def golden_episode_perfect(env, index):
    return play(env, golden_id(env, index), env.solve)


def taken(messages):
    """The first move played again at the second prompt."""
    return [*messages[:3], messages[1]]


def spec_hashes():
    hashes, episodes = [], []
    for env in (Tictactoe, Mult8):
        played = [golden_episode(env, index) for index in range(256)]
        hashes.append({"what": "256 golden episodes", "input": env.id, "want": digest("spec", env.id, played)})
        episodes += [{"what": env.id, "input": index, "want": played[index]} for index in range(16) if len(canonical(played[index])) < 4000]
    many = [golden_episode(env, index) for env in (Tictactoe, Mult8) for index in range(500)]
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


assert len(Tictactoe.positions()) == 3191
challenge_ids()
initial_states()
replies()
replays()
normalised()
spec_hashes()
