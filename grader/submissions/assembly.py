"""Put the notebook together: the release's cells with the answers in them, and the student's own between them."""

from __future__ import annotations

import ast
import builtins
import copy
from collections import defaultdict
from collections.abc import Mapping

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grader.core.cells import SKIPPED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Level
from grader.core.names import bound_at_top, own_names, used_anywhere, used_at_once
from grader.submissions import mend
from grader.submissions.added import added_words
from grader.submissions.additions import Addition, additions, note_left_out
from grader.submissions.answers import Answer
from grader.submissions.cells import RECOGNISED, Cells, How, Piece, Role, Slot
from grader.submissions.file_names import printable, quoted
from grader.submissions.parsing import parse
from grader.submissions.places import places_of

STUDENT_TAG = "student-cell"
_BUILTINS = set(dir(builtins))
#: Most cells that are moved for one answer.
_MOST_MOVED = 100
#: Cells by the index of a slot.
_Places = defaultdict[int, list[NotebookNode]]
#: Most names in one sentence.
_MOST_NAMED = 8
#: What makes words a comment or a text of Python.
_QUOTING = " \t#\"'"


def assemble(cells: Cells, release: NotebookNode, answers: dict[int, Answer]) -> NotebookNode:
    """Put the notebook together.

    Args:
        cells: The cells, after the answers were looked for. Findings are added.
        release: The pristine notebook; it is not changed.
        answers: What was found, by index of the answer's cell in the release.
    """
    replaced = {p.slot: p for p in cells.pieces if _replaces(cells, p)}
    shown = {p.slot: p.shown for p in cells.pieces if p.role is Role.RELEASED and _is_demonstration(cells, p)}
    _note_restored(cells)
    _note_order(cells)
    added = additions(cells)
    note_left_out(cells, added, answers)
    after, front = _students_cells(cells, added)
    nb = copy.deepcopy(release)
    known = list(nb.cells)
    made: list[NotebookNode] = [*after[-1]]
    for slot in cells.slots:
        cell = nb.cells[slot.index]
        made += front[slot.index]
        if slot.index in answers:
            made += _filled(cell, answers[slot.index])
        if slot.index in shown:
            cell.outputs = shown[slot.index]
        made += _own_cell(replaced[slot.index]) if slot.index in replaced else [cell]
        made += after[slot.index]
    nb.cells = _with_helpers_in_front(cells, made, answers)
    _keep_remarks(cells, nb, known)
    _number(nb, taken={name for s in cells.slots if (name := s.cell.get("id"))})
    nb.nbformat, nb.nbformat_minor = 4, 5
    return nb


def _filled(cell: NotebookNode, answer: Answer) -> list[NotebookNode]:
    """Write an answer into its cell; return the cells that come before it."""
    cell.source = answer.text
    if answer.pictures and cell.cell_type == "markdown":
        cell.attachments = nbformat.from_dict(answer.pictures)
    return [_student_code(p.known_code.text) for p in answer.before]


def _students_cells(cells: Cells, added: Mapping[int, Addition]) -> tuple[_Places, _Places]:
    """Return the student's own cells, by the index of the slot that they follow (-1: none) or that they precede.

    A stub that was left as it was stands in front of what the student wrote below it. Where an answer is taken from
    there, what had run before it comes with it.
    """
    after: _Places = defaultdict(list)
    front: _Places = defaultdict(list)
    homes = {p.slot: p.index for p in cells.pieces if p.role is Role.HOME}
    untested = {n: slot for slot in cells.answers for n in range(slot.index, _first_test(cells, slot))}
    places = places_of(cells)
    for piece in cells.pieces:
        if piece.is_own:
            place = places[piece.index]
            stub = untested.get(place)
            early = stub is not None and piece.index < homes.get(stub.index, -1)
            where = front[stub.index] if stub is not None and early else after[place]
            where += _own_cell(piece)
        elif piece.role in RECOGNISED:
            place, slot = places[piece.index], cells.slot_of(piece)
            if piece.index in added and (kept := added[piece.index].kept).strip():
                # A test needs what was added to it.
                after[place - (slot.kind is CellKind.TEST and place == slot.index)].append(_student_code(kept))
            if words := _words(cells, piece):
                after[place].append(_student_text(words, piece))
    return after, front


def _first_test(cells: Cells, slot: Slot) -> int:
    tests = (s.index for s in cells.slots[slot.index : slot.last_test + 1] if s.kind is CellKind.TEST)
    return next(tests, slot.index)


def _words(cells: Cells, piece: Piece) -> str:
    """Return what would be lost of a text cell: words added to the release's, or around the code of an answer."""
    if piece.role is Role.HOME and piece.words and cells.slot_of(piece).kind is CellKind.ANSWER:
        return piece.raw
    return added_words(cells, piece)


def _keep_remarks(cells: Cells, nb: NotebookNode, known: list[NotebookNode]) -> None:
    """Add what was said to be a written answer, perhaps, and would be lost with the cell that it was typed into.

    Args:
        cells: The cells.
        nb: The notebook, with all other cells.
        known: Its cells of the release, in order.
    """
    said = [piece for piece in cells.pieces if piece.said]
    shown = "\n".join(cell.source for cell in nb.cells) if said else ""
    for piece in said:
        lines = [line.strip(_QUOTING) for line in piece.said.split("\n")]
        if not all(line in shown for line in lines):
            # Where the student's form of a cell stands for it, or the cell was no released one after all: at the end.
            at = next((n for n, cell in enumerate(nb.cells) if cell is known[piece.slot]), len(nb.cells) - 1)
            nb.cells.insert(at + 1, _student_text("\n".join(lines), piece))


def _replaces(cells: Cells, piece: Piece) -> bool:
    """Return whether the student's form of a demonstration or self-check takes the place of the released one."""
    return piece.role is Role.EDITED and _is_demonstration(cells, piece)


def _is_demonstration(cells: Cells, piece: Piece) -> bool:
    return piece.is_code and cells.slot_of(piece).kind in SKIPPED_KINDS


def _own_cell(piece: Piece) -> list[NotebookNode]:
    """Make a plain cell of one of the student's own."""
    if piece.is_code:
        made = _student_code(piece.code.text if piece.code else piece.raw)
        made.outputs = piece.shown
        return [made]
    return [_student_text(piece.raw, piece)]


def _student_text(text: str, piece: Piece) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(text, id=STUDENT_TAG, metadata={"tags": [STUDENT_TAG]})
    if isinstance(piece.pictures, dict):
        cell.attachments = nbformat.from_dict(piece.pictures)
    return cell


def _student_code(text: str) -> NotebookNode:
    cell: NotebookNode = new_code_cell(text, id=STUDENT_TAG, metadata={"tags": [STUDENT_TAG]})
    return cell


def _is_students(cell: NotebookNode) -> bool:
    return STUDENT_TAG in cell.metadata.get("tags", [])


def _number(nb: NotebookNode, taken: set[str]) -> None:
    """Name the student's cells, each by an id that no other cell has."""
    number = 0
    for cell in filter(_is_students, nb.cells):
        number += 1
        while f"{STUDENT_TAG}-{number}" in taken:
            number += 1
        cell.id = f"{STUDENT_TAG}-{number}"


def _tree(cell: NotebookNode) -> ast.Module | None:
    return parse(cell.source) if cell.cell_type == "code" else None


def _with_helpers_in_front(cells: Cells, made: list[NotebookNode], answers: dict[int, Answer]) -> list[NotebookNode]:
    """Move a student's cells of definitions up if an answer needs them before they come: they ran out of order."""
    trees = {id(cell): _tree(cell) for cell in made}
    movable = [c for c in made if _is_students(c) and (t := trees[id(c)]) and mend.quiet(t)]
    if not movable:
        return made
    binds = {key: set(bound_at_top(tree.body)) for key, tree in trees.items() if tree}
    for slot in cells.answers:
        cell = next(c for c in made if grade_id(c) == slot.name)
        answer = answers.get(slot.index)
        if slot.last_test < 0 or answer is None or answer.how in (How.UNTOUCHED, How.MISSING) or not trees[id(cell)]:
            continue
        last = next(c for c in made if grade_id(c) == cells.slots[slot.last_test].name)
        helpers = [c for c in movable if not cells.functions & binds[id(c)]]
        names = _bring(cell, last, made, helpers, binds)
        if names:
            listed = ", ".join(quoted(printable(name)) for name in names[:_MOST_NAMED])
            listed += ", ..." if len(names) > _MOST_NAMED else ""
            text = f"The cell that defines {listed} stood below {slot.shown}, which needs it"
            cells.note("helper-moved", slot.name, f"{text}; it was moved up.")
    return made


def _bring(
    cell: NotebookNode,
    last: NotebookNode,
    made: list[NotebookNode],
    helpers: list[NotebookNode],
    binds: dict[int, set[str]],
) -> list[str]:
    """Move in front of a cell what it needs and does not have: when it runs, or until the last test of its exercise.

    What a helper needs itself is moved in front of that.

    Args:
        cell: An answer.
        last: The test.
        made: All cells; their order is changed.
        helpers: Cells that may be moved.
        binds: The names that cells bind, by `id`.

    Returns:
        The names in the helpers that were moved, sorted.
    """
    found: set[str] = set()
    moved: set[int] = set()
    waiting = [cell]
    while waiting and len(moved) < _MOST_MOVED:
        needy = waiting.pop()
        # A test binds nothing on the student's side, and what its hidden part binds is nobody's business there.
        bound = [binds.get(id(c), set()) if kind_of(c) is not CellKind.TEST else set() for c in made]
        place, end = _at(made, needy), _at(made, last)
        tree = parse(needy.source) or ast.Module([], [])
        now = used_at_once(tree) - set().union(*bound[:place]) - _BUILTINS
        later = used_anywhere(tree) - own_names(tree) - set().union(*bound[:end]) - _BUILTINS
        for other in helpers if now | later else ():
            if id(other) in moved or not binds[id(other)] & (now | later):
                continue
            at = _at(made, other)
            names = binds[id(other)] & ((now if at > place else set()) | (later if at > end else set()))
            if names:
                found |= names
                now, later = now - names, later - names
                del made[at]
                made.insert(_at(made, needy), other)
                moved.add(id(other))
                waiting.append(other)
    return sorted(found)


def _at(made: list[NotebookNode], cell: NotebookNode) -> int:
    return next(n for n, c in enumerate(made) if c is cell)


def _note_restored(cells: Cells) -> None:
    """Report which cells of the release were missing or changed."""
    if not cells.handed_in:
        return
    known = {p.slot for p in cells.pieces if p.role in (Role.RELEASED, Role.EDITED, Role.USED)}
    missing = [s for s in cells.slots if s.is_fixed and s.index not in known]
    if missing:
        names = ", ".join(s.name for s in missing[:_MOST_NAMED]) + (", ..." if len(missing) > _MOST_NAMED else "")
        many = f"{len(missing)} cells of the released notebook were not there and were"
        one = "One cell of the released notebook was not there and was"
        cells.note("cells-restored", "", f"{one if len(missing) == 1 else many} put back: {names}.")
    if cells.pieces and not any(p.slot >= 0 for p in cells.pieces):
        cells.note("other-notebook", "", "Nothing in this notebook belongs to the assignment.", Level.LOST)
    for piece in cells.pieces:
        if piece.role in (Role.EDITED, Role.USED) and cells.slot_of(piece).is_fixed:
            _note_changed(cells, cells.slot_of(piece))


def _note_changed(cells: Cells, slot: Slot) -> None:
    test = slot.kind is CellKind.TEST
    text = f"The {'test cell' if test else 'cell'} {slot.name} was changed; the released one was used."
    cells.note("test-changed" if test else "locked-changed", slot.name, text)


def _note_order(cells: Cells) -> None:
    run = {p.index for p in cells.in_order()}
    moved = [p for p in cells.pieces if p.role in (Role.RELEASED, Role.HOME) and p.index not in run]
    for piece in moved:
        slot = cells.slot_of(piece)
        elsewhere = any(f.kind == "answer-elsewhere" and f.where == slot.name for f in cells.findings)
        if slot.is_answer and piece.role is Role.HOME and not elsewhere:
            text = f"{slot.shown_first} stood in another place; it was put back."
            cells.note("cell-moved", slot.name, text)
    if any(cells.slot_of(p).is_fixed for p in moved):
        cells.note("order-restored", "", "The cells stood in another order; they were put back as released.")
