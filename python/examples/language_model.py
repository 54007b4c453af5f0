"""A language model of 870,000 parameters, and its server.

python examples/language_model.py model.pt --port 8007     # after train_language_model.py
"""

import argparse
from threading import Lock

import torch
from language_examples import END, REPLY, Tokens
from miner_server import serve
from torch import Tensor, nn
from torch.nn import functional

WIDTH, LAYERS, HEADS = 128, 4, 4
MOST_LINES, MOST_COLUMNS = 32, 160
MOST_NEW = 120
"""Maximum number of tokens of a reply."""

Past = list[Tensor]
"""Keys and values of the previous tokens in one layer."""


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before_attention, self.before_thought = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.looking = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.seen = nn.Linear(WIDTH, WIDTH, bias=False)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor, turns: Tensor, mask: Tensor | None, past: Past) -> Tensor:
        """Computes a layer. Appends these tokens to `past`."""
        batch, length, _ = x.shape
        looking = self.looking(self.before_attention(x)).view(batch, length, 3, HEADS, -1)
        asking, *new = looking.permute(2, 0, 3, 1, 4)
        asking, new[0] = turned(asking, turns), turned(new[0], turns)
        past[:] = [torch.cat(both, 2) for both in zip(past, new, strict=True)] if past else new
        seen = functional.scaled_dot_product_attention(asking, *past, attn_mask=mask)
        x = x + self.seen(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.narrow(functional.gelu(self.wide(self.before_thought(x))))


def turns_at(at: Tensor) -> Tensor:
    """Returns the rotations, as complex numbers, of the pairs of a head's numbers at these places.

    Rotations let a layer find tokens by their distance, for half of the pairs in lines, and for
    the other half in columns.
    """
    speeds = 2.0 ** (-0.7 * torch.arange(WIDTH // HEADS // 4))
    angles = at[:, None, :, :, None] * speeds
    return torch.polar(torch.ones_like(angles), angles).flatten(3)


def turned(heads: Tensor, turns: Tensor) -> Tensor:
    pairs = torch.view_as_complex(heads.reshape(*heads.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(3)


class LanguageModel(nn.Module):
    """A transformer. Prompt tokens see each other, and reply tokens see all previous tokens."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.tokens = tokens
        self.token = nn.Embedding(len(tokens.texts), WIDTH)
        self.line, self.column = nn.Embedding(MOST_LINES, WIDTH), nn.Embedding(MOST_COLUMNS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.scores = nn.Linear(WIDTH, len(tokens.texts), bias=False)
        for embedding in (self.token, self.line, self.column):
            nn.init.normal_(embedding.weight, std=0.3)

    def forward(self, tokens: Tensor, at: Tensor, mask: Tensor | None, pasts: list[Past]) -> Tensor:
        """Returns the state at each token, the input of `scores` for the next one."""
        line, column = at[..., 0].clamp(max=MOST_LINES - 1), at[..., 1].clamp(max=MOST_COLUMNS - 1)
        x = self.token(tokens) + self.line(line) + self.column(column)
        turns = turns_at(at)
        for layer, past in zip(self.layers, pasts, strict=True):
            x = layer(x, turns, mask, past)
        return self.norm(x)

    def reply(self, prompt: str) -> str:
        """Returns a reply. Selects the likeliest token one by one, up to the end token."""
        sequence = [*self.tokens.read(prompt), REPLY]
        prompt_length = new = len(sequence)
        pasts: list[Past] = [[] for _ in self.layers]
        while len(sequence) < prompt_length + MOST_NEW:
            at = torch.tensor([self.tokens.places(sequence)[-new:]])
            with torch.inference_mode():
                known = self(torch.tensor([sequence[-new:]]), at, None, pasts)
                token = int(self.scores(known[0, -1]).argmax())
            if token == END:
                break
            sequence.append(token)
            new = 1
        return self.tokens.text(sequence[prompt_length:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("model", help="the file that train_language_model.py wrote")
    parser.add_argument("--port", type=int, default=8007, help="0 selects a free port")
    options = parser.parse_args()
    torch.set_num_threads(1)
    checkpoint = torch.load(options.model, weights_only=True)
    model = LanguageModel(Tokens(checkpoint["tokens"]))
    model.load_state_dict(checkpoint["weights"])
    turn = Lock()

    def reply_to(prompt: str) -> str:
        with turn:
            return model.reply(prompt)

    serve(reply_to, options.port)


if __name__ == "__main__":
    main()
