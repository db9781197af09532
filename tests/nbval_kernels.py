"""A plugin for nbval (`-p tests.nbval_kernels`): kernels started at the same moment keep out of each other's way.

jupyter_client looks for free TCP ports before the kernel takes them, so of two kernels started side by side one may
find a port taken: it ends, or hangs without a word if that is the port of the outputs. And all kernels of a user write
one history. nbclient, which all else here uses, leaves the history out; nbval does not.
"""

import os
import shutil
import tempfile

import nbval.kernel
from jupyter_client.manager import KernelManager


class PrivateKernelManager(KernelManager):
    """Talk to the kernel over Unix sockets in a folder of its own, and keep no history."""

    def __init__(self, **options):
        self._folder = tempfile.mkdtemp(prefix="kernel-")
        super().__init__(transport="ipc", ip=os.path.join(self._folder, "socket"), **options)

    def start_kernel(self, **options):
        """Start the kernel."""
        return super().start_kernel(extra_arguments=["--HistoryManager.hist_file=:memory:"], **options)

    def shutdown_kernel(self, **options):
        """End the kernel and remove its sockets."""
        super().shutdown_kernel(**options)
        shutil.rmtree(self._folder, ignore_errors=True)


nbval.kernel.KernelManager = PrivateKernelManager
