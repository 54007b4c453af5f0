"""Trains a language model from scratch to reply like the scripted players.

python examples/train_language_model.py model.pt
"""

import argparse
import time
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from language_examples import END, REPLY, Example, Tokens, examples
from language_model import LAYERS, LanguageModel
from torch import Tensor
from torch.nn.functional import cross_entropy

ENVS = ("mult8-v0", "hex-v0", "tictactoe-v0", "pack-v0")


class Stage(NamedTuple):
    turns: tuple[str, ...]
    """The environments of successive steps, repeated until the last step."""
    steps: int
    rate: float


STAGES = (
    # Long multiplication takes most examples.
    Stage(
        (
            *("mult8-v0", "hex-v0", "mult8-v0", "tictactoe-v0", "mult8-v0", "hex-v0"),
            *("mult8-v0", "tictactoe-v0", "mult8-v0", "hex-v0", "mult8-v0", "pack-v0"),
        ),
        steps=3400,
        rate=0.01,
    ),
    # Boards follow, with enough products and packings that the model does not forget these.
    Stage(
        (
            *("tictactoe-v0", "hex-v0", "tictactoe-v0", "hex-v0", "mult8-v0"),
            *("tictactoe-v0", "hex-v0", "tictactoe-v0", "hex-v0", "pack-v0"),
        ),
        steps=1500,
        rate=0.006,
    ),
)
TOKENS_A_STEP = 1200
WARM_UP = 30


class Batch(NamedTuple):
    """Arrays by example and token."""

    tokens: Tensor
    places: Tensor
    mask: Tensor
    """The tokens that each token sees."""
    is_reply: Tensor
    """The tokens that are part of a reply."""


def batch_of(source: Iterator[Example], tokens: Tokens) -> Batch:
    rows: list[tuple[int, list[int]]] = []
    while sum(len(row) for _, row in rows) < TOKENS_A_STEP:
        example = next(source)
        question = [*tokens.read(example.prompt), REPLY]
        rows.append((len(question), [*question, *tokens.read(example.reply), END]))
    shape = len(rows), max(len(row) for _, row in rows)
    batch = Batch(
        tokens=torch.full(shape, END),
        places=torch.zeros((*shape, 2), dtype=torch.long),
        mask=torch.ones(shape[1], shape[1]).tril().bool().repeat(shape[0], 1, 1, 1),
        is_reply=torch.zeros(shape, dtype=torch.bool),
    )
    for i, (asked, row) in enumerate(rows):
        batch.tokens[i, : len(row)] = torch.tensor(row)
        batch.places[i, : len(row)] = torch.tensor(tokens.places(row))
        batch.mask[i, :, :asked, :asked] = True
        batch.is_reply[i, asked : len(row)] = True
    return batch


def loss_of(model: LanguageModel, batch: Batch) -> tuple[Tensor, float]:
    """Returns the loss, and the share of correct tokens in replies."""
    mask = batch.mask[:, :, :-1, :-1]
    known = model(batch.tokens[:, :-1], batch.places[:, :-1], mask, [[] for _ in range(LAYERS)])
    is_reply = batch.is_reply[:, 1:]
    scores, wanted = model.scores(known[is_reply]), batch.tokens[:, 1:][is_reply]
    return cross_entropy(scores, wanted), float((scores.argmax(-1) == wanted).float().mean())


def train(seed: int) -> LanguageModel:
    randoms = [np.random.default_rng(seed + number) for number in range(len(STAGES))]
    sources = [{env: examples(env, random) for env in ENVS} for random in randoms]
    torch.manual_seed(seed)
    first = [example for source in sources[0].values() for example in islice(source, 300)]
    model = LanguageModel(Tokens.of(first))
    print(f"{sum(each.numel() for each in model.parameters())} parameters", flush=True)
    for stage, of_stage in zip(STAGES, sources, strict=True):
        learn(model, stage, of_stage)
    return model


def learn(model: LanguageModel, stage: Stage, sources: dict[str, Iterator[Example]]) -> None:
    matrices = [each for each in model.layers.parameters() if each.ndim == 2]
    chosen = {id(each) for each in matrices}
    others = [each for each in model.parameters() if id(each) not in chosen]
    optimizers = [
        torch.optim.Muon(matrices, lr=stage.rate, weight_decay=0),
        torch.optim.AdamW(others, lr=stage.rate / 5, betas=(0.9, 0.98)),
    ]
    # The learning rate rises at first and then falls until the end.
    steps = stage.steps
    rates = [min((at + 1) / WARM_UP, 1 - at / steps) for at in range(steps + 1)]
    plans = [torch.optim.lr_scheduler.LambdaLR(each, rates.__getitem__) for each in optimizers]
    right: dict[str, float] = {}
    for step in range(steps):
        env = stage.turns[step % len(stage.turns)]
        loss, share = loss_of(model, batch_of(sources[env], model.tokens))
        right[env] = 0.9 * right.get(env, share) + 0.1 * share
        model.zero_grad()
        loss.backward()
        for optimizer, plan in zip(optimizers, plans, strict=True):
            optimizer.step()
            plan.step()
        if step % 100 == 99:
            shown = ", ".join(f"{env} {share:.3f}" for env, share in right.items())
            print(f"{step + 1} steps, {time.process_time():.0f} s: {shown}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", help="the file to write")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = train(options.seed)
    torch.save({"tokens": model.tokens.texts, "weights": model.state_dict()}, options.model)


if __name__ == "__main__":
    main()
