"""Find those who handed in only what systems and editors leave, so that no upload vanishes without a word.

Beside a notebook nobody needs to hear of a `.DS_Store`. But it can be all that is in a student's folder, and so can
the copy of a notebook that Jupyter keeps in `.ipynb_checkpoints`, which may hold every answer.
"""

from __future__ import annotations

from collections.abc import Collection

from grader.lms.archive import Contents, Item, owner_of
from grader.lms.platforms import MOODLE
from grader.submissions.packed import is_checkpoint, is_junk

NOTHING, ASK = "{} handed in nothing that can be read", "ask the student for the .ipynb file"


def lone(contents: Contents, assignments: Collection[str]) -> list[Item]:
    """Return what lies in folders in which nothing else does: Jupyter's copies, or one file that stands for the rest.

    What lies beside the students' folders is left out, and so are folders that a program made: they are nobody's.

    Args:
        contents: What an archive or a folder holds.
        assignments: Names of the course's assignments: a folder of such a name is no student's.
    """
    around = contents.around
    named = [item.raw for item in contents.items] + [one.path for one in contents.refused]
    there = {owner_of(path[:-1], around, assignments) for path in named}
    found = dict[tuple[str, ...], list[Item]]()
    for item in contents.junk:
        owner = owner_of(item.raw[:-1], around, assignments)
        # Moodle's folders begin with what people call themselves, which may be as programs call theirs.
        programs = any(is_junk(part) and not MOODLE.fullmatch(part) for part in owner)
        nobodys = len(owner) <= around or owner[-1] in assignments or programs
        if not nobodys and owner not in there:
            found.setdefault(owner, []).append(item)
    return [i for some in found.values() for i in [i for i in some if is_checkpoint(i.parts)] or some[:1]]
