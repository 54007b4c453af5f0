"""Examples for a language model: prompts and replies, also as tokens.

The scripted players choose the answers. A reply has the reasons above the answer: the working of a
product, the value of each move in tic-tac-toe, and in hex the empty cells of the answer's row. In
pack a reply is only the first placement.
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
"""The tokens before a reply, after it, and between lines."""
ROWS, FIRST_ROW = "ABCDEFGHIJK", 3
"""The names of a board's rows, and the line of a prompt that has the first row."""
PIECE = re.compile(r"(?: [.XO]){1,3}| \d\d?(?!\d)|.")
"""Up to three cells of a board, a number of at most two digits, or any other character."""
RULE = re.compile("  |.{40}")
"""The head of a board, or a long line."""
CELLS = ["".join(cells) for n in (1, 2, 3) for cells in product((" .", " X", " O"), repeat=n)]
NUMBERS = [f" {number:02}" for number in range(100)] + [f" {number}" for number in range(1, 10)]


class Example(NamedTuple):
    prompt: str
    reply: str


def examples(env: str, random: Generator) -> Iterator[Example]:
    """Yields examples from episodes in which half of the replies are good and half are random."""
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
    """Returns a good reply in the form that the model learns."""
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
    """Returns the moves of tic-tac-toe by row: `+` after a win, `=` after a draw, `-` after a loss.

    The first of the best moves follows on the last line.
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
    """Returns long multiplication of eight digits: a line per digit of b, the last digit first.

    For each digit of a, the last first, a line has the sum of the two digits' product, the digit
    so far in the product's place, and the carry. The sum's last digit replaces the digit so far.
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
    """Texts by number: lines common to many prompts, and pieces of other lines."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.numbers = {text: number for number, text in enumerate(texts)}

    @staticmethod
    def of(known: list[Example]) -> "Tokens":
        """Returns the tokens that occur in these examples."""
        asked = Counter(line for prompt, _ in known for line in prompt.split("\n"))
        rules = [line for line, count in asked.items() if count > 3 and RULE.match(line)]
        others = {*asked, *(line for _, reply in known for line in reply.split("\n"))} - {*rules}
        pieces = {piece for line in others for piece in PIECE.findall(line)}
        return Tokens(["<reply>", "<end>", "\n", *sorted({*rules, *pieces, *CELLS, *NUMBERS})])

    def read(self, text: str) -> list[int]:
        """Returns the tokens of a text. Omits parts without a token."""
        texts: list[str] = []
        for line in text.split("\n"):
            texts += ["\n", *([line] if line in self.numbers else PIECE.findall(line))]
        return [self.numbers[text] for text in texts[1:] if text in self.numbers]

    def text(self, tokens: list[int]) -> str:
        return "".join(self.texts[token] for token in tokens)

    def places(self, tokens: list[int]) -> list[tuple[int, int]]:
        """Returns the line and the column of each token.

        A reply and a line feed begin a line. Each row of a board has the same line in all prompts.
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
