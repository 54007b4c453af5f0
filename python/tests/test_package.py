"""Tests the wheel and the source distribution, whose tests must run."""

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from vectors import IS_SDIST, PACKAGE, ROOT

pytestmark = pytest.mark.skipif(IS_SDIST, reason="this is a source distribution")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds both distributions without downloads. Returns their folder."""
    out = tmp_path_factory.mktemp("dist")
    words = ["-m", "build", "--no-isolation", "--outdir", str(out), str(PACKAGE)]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return out


def test_twine_finds_nothing_wrong(built: Path) -> None:
    files = [str(path) for path in built.iterdir()]
    assert len(files) == 2
    checked = [sys.executable, "-m", "twine", "check", "--strict", *files]
    subprocess.run(checked, check=True, capture_output=True)


def test_the_wheel_has_types_a_licence_and_metadata(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        headers = Parser().parsestr(file.read(metadata).decode())
        [licence] = [name for name in names if name.endswith("LICENSE")]
        assert file.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert "affine_envs/py.typed" in names
    assert headers["License-Expression"] == "MIT"
    assert headers["Author"] == "Affine contributors"
    assert "Typing :: Typed" in headers.get_all("Classifier", [])


def test_the_tests_of_the_source_distribution_run_on_the_wheel(built: Path, tmp_path: Path) -> None:
    [archive], [wheel] = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    [folder] = tmp_path.iterdir()
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert not (folder / "nightly.py").exists()
    files = [str(folder / "tests" / name) for name in FILES]
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", QUICK, *files]
    environment = {"PYTHONPATH": str(wheel), "PATH": "/usr/bin:/bin"}
    run = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout


QUICK = "not long and not spec and not judges and not crowns"
"""Selects tests that compute little."""

FILES = ("test_gymnasium.py", "test_vectors.py", "test_verify_vectors.py")
"""Tests of both packages that start no process."""
