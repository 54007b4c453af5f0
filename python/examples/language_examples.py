"""What a language model learns from: prompts, replies to them, and both as tokens.

The scripted players write the replies, with what leads to them above: the working of a product, the
worth of each move in tic-tac-toe, and in hex the empty cells of the row. Of a packing the first
placement stands alone.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from numpy.random import Generator

from affine_envs.registry import game_of
from affine_envs.tictactoe_board import after, moves, outlook

REPLY, END, LINE_FEED = 0, 1, 2
"""The tokens in front of a reply, behind it, and between lines."""
ROWS, FIRST_ROW = "ABCDEFGHIJK", 3
"""The names of a board's rows, and the line of the first in a prompt."""
PIECE = re.compile(r"(?: [.XO]){1,3}| \d\d?(?!\d)|.")
"""Up to three cells of a board, a number of at most two digits, or else any character."""
RULE = re.compile("  |.{40}")
"""The head of a board, or a long line."""
CELLS = ["".join(cells) for n in (1, 2, 3) for cells in product((" .", " X", " O"), repeat=n)]
NUMBERS = [f" {number:02}" for number in range(100)] + [f" {number}" for number in range(1, 10)]


class Example(NamedTuple):
    prompt: str
    reply: str


def examples(env: str, random: Generator) -> Iterator[Example]:
    """Of games in which half of the moves are the scripted player's, the others any."""
    game: Any = game_of(env, 0.5 if env == "hex-v0" else None)
    while True:
        state, over = game.initial(random), False
        while not over:
            good = game.best_reply(state)
            prompt = game.prompt(state)
            yield Example(prompt, written(env, prompt, good))
            stepped = None
            while stepped is None:
                reply = good if random.random() < 0.5 else game.any_reply(state, random)
                action = game.parse(reply)
                stepped = None if action is None else game.step(state, action, random)
            state, _, over = stepped


def written(env: str, prompt: str, good: str) -> str:
    """A good reply as the model learns it."""
    if env == "pack-v0":
        return good.split()[0]
    if env == "mult8-v0":
        a, b = re.findall("[0-9]{8}", prompt)
        return f"{working(a, b)}{good:>16}"
    rows = [line.split() for line in prompt.split("\n") if re.fullmatch("[A-K]( [.XO])+", line)]
    if env == "tictactoe-v0":
        return worths([mark for _, *marks in rows for mark in marks])
    [marks] = [marks for row, *marks in rows if row == good[0]]
    empty = (f" {column}" for column, mark in enumerate(marks, 1) if mark == ".")
    return f"{good[0]}{''.join(empty)}\n{good}"


def worths(marks: list[str]) -> str:
    """Behind each move of tic-tac-toe, row by row, whether it wins, draws or loses.

    Below that is the first of the best.
    """
    board = tuple(".XO".index(mark) for mark in marks)
    worth = {cell: -outlook(after(board, cell))[0] for cell in moves(board)}
    text = ""
    for row in range(3):
        cells = [cell for cell in worth if cell // 3 == row]
        text += "ABC"[row] + "".join(f" {cell % 3 + 1}{'-=+'[worth[cell] + 1]}" for cell in cells)
        text += "\n"
    best = max(worth, key=lambda cell: worth[cell])
    return f"{text}{'ABC'[best // 3]}{best % 3 + 1}"


def working(a: str, b: str) -> str:
    """Long multiplication of eight digits: a line for each digit of b, the last digit first.

    For each digit of a, the last first, it has the sum of three: the two digits' product, what
    stands in that place so far, and the carry. The sum's last digit then stands there.
    """
    digits = [0] * 16
    text = ""
    for shift, factor in enumerate(map(int, reversed(b))):
        carry = 0
        for place, digit in enumerate(map(int, reversed(a)), shift):
            total = digit * factor + digits[place] + carry
            text += f" {total:02}"
            carry, digits[place] = divmod(total, 10)
        digits[shift + 8] = carry
        text += "\n"
    return text


class Tokens:
    """Texts, by number: lines that many prompts have, and pieces of others."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.numbers = {text: number for number, text in enumerate(texts)}

    @staticmethod
    def of(known: list[Example]) -> "Tokens":
        """Those of which examples like these consist."""
        asked = Counter(line for prompt, _ in known for line in prompt.split("\n"))
        rules = [line for line, count in asked.items() if count > 3 and RULE.match(line)]
        others = {*asked, *(line for _, reply in known for line in reply.split("\n"))} - {*rules}
        pieces = {piece for line in others for piece in PIECE.findall(line)}
        return Tokens(["<reply>", "<end>", "\n", *sorted({*rules, *pieces, *CELLS, *NUMBERS})])

    def read(self, text: str) -> list[int]:
        """The tokens of a text. What it has besides is left out."""
        texts: list[str] = []
        for line in text.split("\n"):
            texts += ["\n", *([line] if line in self.numbers else PIECE.findall(line))]
        return [self.numbers[text] for text in texts[1:] if text in self.numbers]

    def text(self, tokens: list[int]) -> str:
        return "".join(self.texts[token] for token in tokens)

    def places(self, tokens: list[int]) -> list[tuple[int, int]]:
        """Of each token its line, and its column in that.

        A reply begins a line, as a line feed does. A row of a board is at one line everywhere.
        """
        found: list[tuple[int, int]] = []
        line, column = 0, 0
        for token in tokens:
            if token in (REPLY, LINE_FEED):
                line, column = line + 1, 0
            elif column == 1 and self.texts[token] in ROWS:
                line = FIRST_ROW + ROWS.index(self.texts[token])
            found.append((line, column))
            column += 1
        return found
