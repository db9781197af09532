"""What a run printed and drew, compared with the outputs saved in a notebook, by nbval itself."""

import copy
from pathlib import Path

from nbval.plugin import IPyNbFile, NbCellError, get_sanitize_patterns

SANITIZER = Path(__file__).parents[1] / "nbval_sanitize.cfg"


class Replay:
    """A kernel as nbval sees it, for one cell, that says what another kernel said before.

    Args:
        outputs: The outputs of the cell in that run, as nbformat keeps them.
    """

    def __init__(self, outputs):
        said = [(o.output_type, o) for o in outputs] + [("status", {"execution_state": "idle"})]
        self._messages = iter([{"msg_type": t, "parent_header": {"msg_id": "cell"}, "content": c} for t, c in said])

    def is_alive(self):
        return True

    def execute_cell_input(self, source, allow_stdin=None):
        return "cell"

    def await_reply(self, msg_id, timeout=None):
        return None

    def await_idle(self, msg_id, timeout=None):
        return None

    def get_message(self, stream, timeout=None):
        return next(self._messages)


def differences(session, notebook, executed):
    """Compare a run with a notebook's saved outputs as `pytest --nbval` does, tags and sanitiser included.

    Args:
        session: The pytest session, whose options nbval asks for.
        notebook: File of the notebook.
        executed: Its cells by id, with the outputs of the run.

    Returns:
        What nbval says, by the id of the cell that differs.
    """
    file = IPyNbFile.from_parent(session, path=notebook)
    file.sanitize_patterns.update(get_sanitize_patterns(SANITIZER.read_text(encoding="utf-8")))
    found = {}
    for item in file.collect():
        if item.options["skip"]:
            continue
        file.kernel = Replay(copy.deepcopy(executed[item.cell.id].outputs))
        try:
            item.runtest()
        except NbCellError as error:
            found[item.cell.id] = f"{error}\n{error.inner_traceback or ''}"
    return found
