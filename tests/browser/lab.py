"""Start JupyterLab, or the notebook server before it, for the tests, and do in its page what a person does."""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

BROWSER = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Generous: a loaded machine with two cores starts TensorFlow in a minute.
PATIENCE_MS = 240_000
#: Closes what is open in a page of JupyterLab.
CLOSE = "[...window.jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())"
#: Opens a notebook in it.
OPEN = "path => window.jupyterapp.commands.execute('docmanager:open', {path})"
#: Every cell stands in the page, not only those in sight; no question about news, and what was typed stays as typed.
SETTINGS = {
    "notebook-extension/tracker": '{"windowingMode": "none", "codeCellConfig": {"autoClosingBrackets": false}}',
    "apputils-extension/notification": '{"fetchNews": "false", "checkForUpdates": false}',
}


@contextmanager
def jupyter_lab(root: Path, state: Path) -> Iterator[str]:
    """Start JupyterLab in a folder, with settings and data of its own.

    Args:
        root: The folder; also where the server runs, as after `cd`.
        state: Folder for everything that the server keeps.

    Yields:
        Its address; add a path and `?token=...` with `url`.
    """
    for name, text in SETTINGS.items():
        path = state / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = {
        "JUPYTERLAB_SETTINGS_DIR": str(state / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(state / "workspaces"),
    }
    words = ["jupyterlab", "--ServerApp.port_retries=0", "--IdentityProvider.token={}", f"--ServerApp.root_dir={root}"]
    words += ["--LabApp.expose_app_in_browser=True"]  # so that a page can be asked to open another notebook
    with _server([sys.executable, "-m", *words], root, state, settings) as address:
        yield address


@contextmanager
def classic_notebook(python: Path, root: Path, state: Path) -> Iterator[str]:
    """Start the server of notebook 6, whose pages have the sliders of ipywidgets 7.

    Args:
        python: Interpreter of an environment that has it.
        root: Folder of the notebooks.
        state: Folder for everything that the server keeps.

    Yields:
        Its address, as `jupyter_lab` gives it.
    """
    words = ["notebook", "--NotebookApp.port_retries=0", "--NotebookApp.token={}", f"--notebook-dir={root}"]
    with _server([str(python), "-m", *words], root, state, {}) as address:
        yield address


@contextmanager
def _server(command: list[str], root: Path, state: Path, settings: dict[str, str]) -> Iterator[str]:
    """Start a server with settings and data of its own; give its address, with a place for a path."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    environment = os.environ | settings
    environment |= {
        "JUPYTER_CONFIG_DIR": str(state / "config"),
        "JUPYTER_DATA_DIR": str(state / "data"),
        "JUPYTER_RUNTIME_DIR": str(state / "runtime"),
        "IPYTHONDIR": str(state / "ipython"),
        "PATH": f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [word.format(token) if word.endswith(".token={}") else word for word in command]
    command += ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    state.mkdir(parents=True, exist_ok=True)
    log = (state / "server.log").open("wb")
    server = subprocess.Popen(
        command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api?token={token}", server, state / "server.log")
        yield f"http://127.0.0.1:{port}/{{}}?token={token}"
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            urllib.request.urlopen(address, timeout=10).close()
            return
        except OSError:
            if server.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"the server did not start:\n{log.read_text()}") from None
            time.sleep(0.2)


class Watch:
    """What a page complains about, and what it asks of the net."""

    #: Not the course's doing. Each is a part of the message or of the address it names, with the reason.
    NOISE: ClassVar[dict[str, str]] = {
        "MathJax is not defined": "the formgrader fetches MathJax from the net, which is kept out here",
        "Could not restore the debugger state: Canceled future": "the page asks each kernel about debugging, again and "
        "again; a test's end shuts the kernel down, and on a busy machine a question is still open then",
    }
    #: The one picture from the net: the badge in the first cell. It stands in a text, never in an output.
    BADGE = "https://colab.research.google.com/assets/colab-badge.svg"

    def __init__(self, page: Page):
        self.errors: list[str] = []
        self.asked: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._note(f"uncaught: {error}"))
        page.route(re.compile(r"^https?://(?!127\.0\.0\.1[:/])"), self._elsewhere)

    def forget(self) -> None:
        """Begin anew."""
        self.errors, self.asked = [], []

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note(f"{message.text} ({message.location.get('url', '')})")

    def _note(self, text: str) -> None:
        if not any(part in text for part in self.NOISE):
            self.errors.append(text)

    def _elsewhere(self, route) -> None:
        self.asked.append(route.request.url)
        if route.request.resource_type == "image":
            picture = '<svg xmlns="http://www.w3.org/2000/svg" width="117" height="20"></svg>'
            route.fulfill(content_type="image/svg+xml", body=picture)
        else:
            route.fulfill(content_type="text/javascript", body="")


class NotebookPage:
    """A notebook that is open in JupyterLab.

    Args:
        page: The browser's page. If JupyterLab is there already, the notebook takes the place of all that is open:
            the application takes twice as long to start as a notebook to open.
        address: What `jupyter_lab` gave.
        path: The notebook below the server's folder.
        names: Names of the cells, in order: their ids in the file.
    """

    def __init__(self, page: Page, address: str, path: str, names: list[str]):
        self.page, self.address, self.path, self.names = page, address, path, names
        if page.url.startswith(address.format("lab").partition("?")[0]):
            page.evaluate(CLOSE)
            expect(page.locator("#jp-main-statusbar")).not_to_contain_text("Python 3")  # of the notebook before
            page.evaluate(OPEN, path)
        else:
            page.goto(address.format(f"lab/tree/{path}") + "&reset")
        expect(page.locator(".jp-Notebook-cell")).to_have_count(len(names))
        self.wait_until_idle()

    def cell(self, name: str) -> Locator:
        """Give a cell."""
        return self.page.locator(".jp-Notebook-cell").nth(self.names.index(name))

    def output(self, name: str) -> Locator:
        """Give the outputs of a cell."""
        return self.cell(name).locator(".jp-OutputArea")

    def wait_until_idle(self) -> None:
        """Wait until the kernel is there and has nothing to do, which the bar at the bottom says."""
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text(re.compile(r"Python 3.* \| Idle"))

    def menu(self, menu: str, entry: str) -> None:
        """Choose an entry of the menu bar."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{menu}$")).click()
        self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{entry}$")).click()

    def select(self, name: str) -> None:
        """Select a cell by a click beside it."""
        self.cell(name).locator(".jp-InputPrompt").first.click()

    def run(self, *names: str) -> None:
        """Run cells one after the other and wait until the last is done."""
        counts = [self._count(name) for name in names]
        for name in names:
            self.select(name)
            self.page.keyboard.press("Control+Enter")
        for name, before in zip(names, counts, strict=True):
            self._wait_for_run(name, before)

    def run_all_above(self, name: str, last: str) -> None:
        """Choose "Run All Above Selected Cell", with one cell selected, and wait until the last above it is done."""
        before = self._count(last)
        self.select(name)
        self.menu("Run", "Run All Above Selected Cell")
        self._wait_for_run(last, before)

    def _count(self, name: str) -> str:
        return self.cell(name).locator(".jp-InputPrompt").first.inner_text()

    def _wait_for_run(self, name: str, before: str) -> None:
        prompt = self.cell(name).locator(".jp-InputPrompt").first
        # [*]: waits or runs; [3]: done. A cell of the front end's cache keeps its number until it is run again.
        expect(prompt).to_have_text(re.compile(r"^\[\d+\]:$"))
        expect(prompt).not_to_have_text(before)

    def fill(self, name: str, text: str) -> None:
        """Replace what stands in a cell by what a person would paste there."""
        editor = self.cell(name).locator(".cm-content")
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def around(self, first: str, last: str) -> dict[str, float]:
        """Bring two cells into the window and give the rectangle around them, for a picture."""
        self.cell(last).scroll_into_view_if_needed()
        self.cell(first).scroll_into_view_if_needed()
        top, below = self.cell(first).bounding_box(), self.cell(last).bounding_box()
        return top | {"height": below["y"] + below["height"] - top["y"]}

    def insert_above(self, name: str, new: str) -> None:
        """Insert an empty code cell above another one, by the key for it, and give it a name here."""
        self.select(name)
        self.page.keyboard.press("a")
        expect(self.page.locator(".jp-Notebook-cell")).to_have_count(len(self.names) + 1)
        self.names.insert(self.names.index(name), new)

    def source(self, name: str) -> str:
        """Give what stands in a cell."""
        return "\n".join(self.cell(name).locator(".cm-line").all_inner_texts())

    def stderr(self, name: str) -> str:
        """Give what a cell wrote to stderr, errors included."""
        return "".join(self.output(name).locator('[data-mime-type="application/vnd.jupyter.stderr"]').all_inner_texts())

    def validate(self) -> str:
        """Press nbgrader's button Validate, wait for the result and close it.

        Returns:
            Its text.
        """
        self.page.get_by_text("Validate", exact=True).click()
        dialog = self.page.locator(".jp-Dialog", has_text="Validation Results")
        dialog.wait_for(timeout=2 * PATIENCE_MS)
        text = dialog.inner_text()
        dialog.get_by_role("button", name="Ok").click()
        dialog.wait_for(state="detached")
        return text

    def end_kernels(self) -> None:
        """Shut the kernels down, which would go on without the page."""
        for session in self.page.request.get(self.address.format("api/sessions")).json():
            self.page.request.delete(self.address.format(f"api/kernels/{session['kernel']['id']}"))
