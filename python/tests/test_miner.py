"""Tests `af miner` with OpenAI's client."""

from typing import Any, cast

import openai
import pytest
from processes import AF, needs_af, serving

from affine_envs import play

CHALLENGES = [
    "vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF",
    "GPddGuPQ26yFDjVuiJpUkWSvnBvD9bVuGDokSMsQHBd4",
]


@needs_af
def test_a_perfect_miner_is_rewarded() -> None:
    with serving(*AF, "miner", "--skill", "1", "--port", "0") as url:
        client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)

        def agent(messages: object) -> str | None:
            answer = client.chat.completions.create(model="default", messages=cast(Any, messages))
            return answer.choices[0].message.content

        for challenge in CHALLENGES:
            assert play("mult8-v0", challenge, agent).reward == 1
            assert play("tictactoe-v0", challenge, agent).reward >= 0
        with pytest.raises(openai.BadRequestError, match="messages"):
            client.chat.completions.create(model="default", messages=[])
        client.close()
