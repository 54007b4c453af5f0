"""Tests that Bittensor's SDK reads what `af` wrote on chain, and that `af` opens its wallets."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from processes import AF, serving
from vectors import ROOT

URL = os.environ.get("SUBTENSOR_ENDPOINT", "")
if not URL:
    pytest.skip("SUBTENSOR_ENDPOINT names no development chain", allow_module_level=True)
bt = pytest.importorskip("bittensor", reason="python[chain] is not installed")

PREPARE = ["node", "--conditions=@affine/source", "--import", "tsx"]
EPOCH_BLOCKS = 30
PATIENCE_S = 900


@dataclass(frozen=True)
class Subnet:
    """A subnet whose validator and miner have wallets that the SDK wrote."""

    netuid: int
    first_epoch: int
    wallets: Path
    hotkeys: dict[str, str]

    def words(self, hotkey: str) -> list[str]:
        """Returns the options for the network and a hotkey."""
        chain = ["--network", URL, "--netuid", str(self.netuid)]
        epoch = ["--first-epoch", str(self.first_epoch)]
        wallet = ["--wallet", "cold", "--hotkey", hotkey, "--wallet-path", str(self.wallets)]
        return [*chain, *epoch, *wallet]


def af(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*AF, *words], capture_output=True, text=True, timeout=120, check=False)


def ask(read: Callable[[Any], Awaitable[Any]]) -> Any:
    """Returns the SDK's result, without the warning of its client on an open event loop."""

    async def connected() -> Any:
        async with bt.Subtensor(URL) as client:
            return await read(client)

    return asyncio.run(connected())


@pytest.fixture(scope="module")
def subnet(tmp_path_factory: pytest.TempPathFactory) -> Subnet:
    script = str(ROOT / "packages" / "chain" / "test" / "prepare-subnet.ts")
    ran = subprocess.run([*PREPARE, script], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    made = json.loads(ran.stdout)
    wallets = tmp_path_factory.mktemp("wallets")
    hotkeys = {}
    for name in ["validator", "miner"]:
        wallet = bt.Wallet("cold", name, str(wallets))
        wallet.regenerate_hotkey(seed=made[name], suppress=True)
        hotkeys[name] = wallet.hotkey.ss58_address
    first_epoch = ask(lambda sdk: sdk.finalized_block()) // EPOCH_BLOCKS + 1
    return Subnet(made["netuid"], first_epoch, wallets, hotkeys)


def test_af_opens_a_wallet_of_the_sdk(subnet: Subnet) -> None:
    wallet = bt.Wallet("cold", "new", str(subnet.wallets)).create_new_hotkey(suppress=True)
    result = af("doctor", *subnet.words("new"))
    assert f"registered   {wallet.hotkey.ss58_address} is not" in result.stdout
    assert result.returncode == 1


def test_af_refuses_an_encrypted_hotkey(subnet: Subnet) -> None:
    wallet = bt.Wallet("cold", "locked", str(subnet.wallets))
    wallet.create_new_hotkey(suppress=True, hotkey_password="a long password, 1 of 2")
    result = af("doctor", *subnet.words("locked"))
    assert "locked is encrypted" in result.stderr
    assert result.returncode == 2


def test_the_sdk_reads_a_miners_commitment(subnet: Subnet) -> None:
    hotkey = subnet.hotkeys["miner"]
    fields = [f"me/{hotkey}", "main", "http://127.0.0.1:9/v1"]
    options = zip(["--model", "--revision", "--chute"], fields, strict=True)
    words = [word for option in options for word in option]
    result = af("commit", *subnet.words("miner"), *words, "--anyway")
    assert result.returncode == 0, result.stderr
    commitment = ask(lambda sdk: sdk.identity.commitment(subnet.netuid, hotkey))
    assert commitment.data == "".join(fields)
    assert f"block {commitment.block} has" in result.stdout


def test_the_sdk_reads_what_a_validator_set(subnet: Subnet, tmp_path: Path) -> None:
    hotkey = subnet.hotkeys["validator"]
    validator = ask(lambda sdk: sdk.neurons.uid(hotkey, subnet.netuid))
    miner = ask(lambda sdk: sdk.neurons.uid(subnet.hotkeys["miner"], subnet.netuid))
    want = {validator: {miner: 1.0}}
    own = ["--folder", str(tmp_path / "own"), "--buckets", str(tmp_path / "buckets")]
    mining = [*AF, "miner", "--port", "0", *subnet.words("miner")]
    validating = [*AF, "validate", *subnet.words("validator"), *own, "--metrics", "0"]
    with serving(*mining), serving(*validating):
        deadline = time.monotonic() + PATIENCE_S
        while (found := ask(lambda sdk: sdk.weights.weights(subnet.netuid))) != want:
            assert time.monotonic() < deadline, found
            time.sleep(1)
    commitment = ask(lambda sdk: sdk.identity.commitment(subnet.netuid, hotkey))
    payload, url = bytes.fromhex(commitment.data[2 : -2 * 48]), commitment.data[-2 * 48 :]
    assert bytes.fromhex(url).decode() == hotkey
    assert payload[:2] in (b"\x01\x01", b"\x01\x02")  # a seal, an attestation
    assert int.from_bytes(payload[2:6], "little") >= subnet.first_epoch
