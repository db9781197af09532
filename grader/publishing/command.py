"""What `grader publish` does and prints."""

from __future__ import annotations

from pathlib import Path

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.languages.messages import ENGLISH
from grader.publishing.folder import Published
from grader.publishing.publish import publish


def publish_and_print(
    course: Course,
    folder: Path | None,
    site: Path | None,
    replace: bool,
    language: str = ENGLISH,
    incomplete: bool = False,
) -> bool:
    """Write the students' repository, the web edition or both, and print what was written.

    Args:
        course: The course.
        folder: Folder of the students' repository, if it is wanted.
        site: Folder of the web edition, if it is wanted.
        replace: Also replace files that were edited there since.
        language: The language of the students' repository. The web edition has every language that is complete.
        incomplete: Whether a translation may be unfinished.

    Returns:
        Whether all was written.

    Raises:
        GraderError: If a folder cannot be used, or something to publish is missing.
    """
    if not (folder or site):
        raise GraderError("there is no folder to publish into", "grader publish", "name one: DIR, --site DIR or both")
    done = []
    if folder:
        done.append(_show(folder, publish(course, folder, replace, language, incomplete)))
    if site:
        from grader.authoring.runs import outdated
        from grader.publishing.frames import outdated_frames
        from grader.publishing.site import publish_site, site_languages

        spoken = site_languages(course, incomplete)
        done.append(_show(site, publish_site(course, site, replace, spoken)))
        late = outdated(course, course.assignments())
        for one in spoken:
            late += outdated_frames(course, one)
        print("".join(f"{line}\n" for line in late), end="")
        if not course.has_address:
            print("The pages have no Colab button: pyproject.toml names no repository under [tool.course] yet.")
    return all(done)


def _show(folder: Path, result: Published) -> bool:
    if result.refused:
        print(f"Nothing was written to {folder}. Not for students, or not in order:")
        print("\n".join(f"  {leak}" for leak in result.refused))
        return False
    for name in result.written:
        print(f"written    {name}")
    for name in result.removed:
        print(f"removed    {name}")
    if result.left:
        print(f"left as they are, of somebody else: {', '.join(result.left)}")
    print(f"{folder}: {len(result.written)} written, {len(result.same)} as they were, {len(result.removed)} removed")
    return True
