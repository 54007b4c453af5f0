"""Steps per second of these environments and of Gymnasium's own: `python python/bench/steps.py`.

Measures one environment, and 64 in both modes of `make_vec`, by processor time. Reports the best of
five runs, since other work of the machine only makes a run slower.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import gymnasium
import numpy as np

import affine_envs  # noqa: F401  it registers the environments

COUNT = 64
PRODUCT = "123456789012345"
Policy = Callable[[Any], Any]

FREE: Policy = lambda board: int(np.argmax(board == 0))  # noqa: E731
ALL_FREE: Policy = lambda boards: np.argmax(boards == 0, axis=1)  # noqa: E731
PLAYED: dict[str, tuple[Policy, Policy]] = {
    "affine/tictactoe-v0": (FREE, ALL_FREE),
    "affine/mult8-v0": (lambda _: PRODUCT, lambda _: (PRODUCT,) * COUNT),
    **{
        name: (lambda _: 0, lambda _: np.zeros(COUNT, dtype=np.int64))
        for name in ("CartPole-v1", "FrozenLake-v1", "Blackjack-v1")
    },
}


def one(name: str, policy: Policy, steps: int = 5000) -> float:
    env = gymnasium.make(name)
    seen, _ = env.reset(seed=1)
    start = process_time()
    for _ in range(steps):
        seen, _, terminated, truncated, _ = env.step(policy(seen))
        if terminated or truncated:
            seen, _ = env.reset()
    return steps / (process_time() - start)


def many(name: str, policy: Policy, mode: Any, steps: int = 100) -> float:
    envs = gymnasium.make_vec(name, num_envs=COUNT, vectorization_mode=mode)
    seen, _ = envs.reset(seed=1)
    start = process_time()
    for _ in range(steps):
        seen, *_ = envs.step(policy(seen))
    return steps * COUNT / (process_time() - start)


def best(run: Callable[[], float]) -> str:
    return f"{max(run() for _ in range(5)):>12,.0f}"


print(f"{'steps a second':20} {'one':>12} {'64, sync':>12} {'64, vector':>12}")
for name, (policy, policy_of_many) in PLAYED.items():
    row = [best(lambda: one(name, policy)), best(lambda: many(name, policy_of_many, "sync"))]  # noqa: B023
    if gymnasium.spec(name).vector_entry_point is not None:
        row.append(best(lambda: many(name, policy_of_many, "vector_entry_point")))  # noqa: B023
    print(f"{name:20}", *row)
