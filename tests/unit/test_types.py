"""The types that the grader's code declares are right, and the packages that decide a mark declare all of theirs."""

import subprocess
import sys
import tomllib

import pytest

#: These declare the types of everything; the others may leave some out.
STRICT = ("core", "submissions", "sandbox", "engine", "gradebook", "classrun", "feedback", "nbgrader_plugins")


def mypy(root, *arguments):
    return subprocess.run([sys.executable, "-m", "mypy", *arguments], cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def settings(request):
    return tomllib.loads((request.config.rootpath / "pyproject.toml").read_text())["tool"]["mypy"]


def test_the_types_of_the_package_are_right(request):
    done = mypy(request.config.rootpath)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_strict_package_is_excused(settings):
    assert settings["strict"]
    fine = {"module", "ignore_errors"}
    for override in settings["overrides"]:
        if override.keys() <= fine:
            continue
        packages = {name.split(".")[1] for name in override["module"]}
        assert packages.isdisjoint(STRICT), f"{packages & set(STRICT)} must be strict"


def test_a_wrong_type_is_found(request, tmp_path):
    root = request.config.rootpath
    wrong = "def half(x: int) -> str:\n    return x / 2\n\n\ndef untyped(x):\n    return x\n"
    (tmp_path / "wrong.py").write_text(wrong)
    options = ["--config-file", str(root / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    done = mypy(tmp_path, *options, "wrong.py")
    assert "[return-value]" in done.stdout, done.stdout + done.stderr
    assert "[no-untyped-def]" in done.stdout, done.stdout
