"""A command in front of another one takes the network away from it, where the system can do that."""

import shutil
import subprocess

import pytest

WITHOUT_NETWORK = ("unshare", "--user", "--map-root-user", "--net")


def need_network_namespaces():
    """Skip the test where the command is missing or not allowed."""
    if not shutil.which("unshare") or subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True).returncode:
        pytest.skip("this system gives no network namespace (Linux with user namespaces is needed)")
