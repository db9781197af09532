"""A command in front of another one takes the network away from it, where the system can do that."""

import shutil
import subprocess

import pytest

WITHOUT_NETWORK = ("unshare", "--user", "--map-root-user", "--net")


MISSING = "this system gives no network namespace (Linux with user namespaces is needed)"


def has_network_namespaces():
    """Return whether the command is there and allowed."""
    return (
        bool(shutil.which("unshare")) and not subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True).returncode
    )


def need_network_namespaces():
    """Skip the test where the command is missing or not allowed."""
    if not has_network_namespaces():
        pytest.skip(MISSING)
