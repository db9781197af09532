"""The command `grader`: parse, call one function, print, exit code."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from grader import __version__
from grader.core.course import Course
from grader.core.escaping import printable_line
from grader.core.garbage import look_seldom
from grader.core.machine import as_told, begin, ended_by

DONE, FINDINGS, USAGE = 0, 1, 2


def _text(course: Course, args: argparse.Namespace) -> int:
    from grader.authoring.text import write_view

    for assignment in course.select(args.assignments):
        print(write_view(course, assignment))
    return DONE


def _apply(course: Course, args: argparse.Namespace) -> int:
    from grader.authoring.text import apply_view

    # A view may be the first trace of a new notebook, so names are not looked up among the existing ones.
    known = {p.stem: p.stem for p in course.build.glob("[0-9][0-9]_*.py")}
    known |= {stem[:2]: stem for stem in known}
    for name in args.assignments or sorted(set(known.values())):
        print(apply_view(course, known.get(name.zfill(2), name)))
    return DONE


def _sync(course: Course, args: argparse.Namespace) -> int:
    from grader.authoring.sync import sync

    changed = sync(course, course.select(args.assignments), write=not args.check)
    for assignment in changed:
        print(f"{assignment}: {'differs from its helpers: run grader sync' if args.check else 'brought up to date'}")
    return FINDINGS if args.check and changed else DONE


def _execute(course: Course, args: argparse.Namespace) -> int:
    from grader.publishing.frame_making import execute_and_draw

    for assignment in course.select(args.assignments):
        print(f"{assignment}: running ...", end=" ", flush=True)
        print("\n".join(execute_and_draw(course, assignment, args.language)))
    return DONE


def _check(course: Course, args: argparse.Namespace) -> int:
    from grader.authoring.check import check, rules_named
    from grader.authoring.counting import count
    from grader.authoring.translate import behind
    from grader.core.notebook import read_notebook

    if args.list:
        for rule in rules_named(args.rule):
            print(f"{rule.name:24} {rule.on.value}. {rule.reason}")
        return DONE
    chosen = course.select(args.assignments)
    if args.counts:
        for assignment in chosen:
            print(f"{assignment}: {count(read_notebook(course.source(assignment)))}")
        return DONE
    found = check(course, chosen, args.rule)
    for finding in found:
        print(finding)
    outdated = [] if args.rule else behind(course, chosen)
    rules = f"by {len({f.rule for f in found})} of {len(rules_named(args.rule))} rules"
    total = f"{len(found)} finding{'s' * (len(found) != 1)} {rules}" if found else "clean"
    print(f"{len(chosen)} notebook{'s' * (len(chosen) != 1)}: {total}")
    for line in outdated:  # no finding: the English comes first
        print(line)
    return FINDINGS if found else DONE


def _release(course: Course, args: argparse.Namespace) -> int:
    from grader.authoring.release import out_of_date, release

    if not args.check:
        for path in release(course, course.select(args.assignments)):
            print(path.relative_to(course.root))
        return DONE
    stale = out_of_date(course, course.select(args.assignments))
    for assignment in stale:
        print(f"{assignment}: notebooks/ is out of date with solutions/: run grader release")
    return FINDINGS if stale else DONE


def _translate(course: Course, args: argparse.Namespace) -> int:
    from grader.authoring.translate import Wanted, run

    jobs = (args.helpers, args.check, args.missing, args.fill, args.preview, args.fonts)
    wanted = Wanted(args.language, args.assignments, *jobs)
    return FINDINGS if run(course, wanted, print) else DONE


def _demo(course: Course, args: argparse.Namespace) -> int:
    from grader.core.nbgrader_api import course_config
    from grader.demo import format_marks, read_sample_class, run_demo, surprises

    course_config(course)  # makes grader/local, for its owner alone
    folder = (args.to or course.local / "demo").resolve()
    say = functools.partial(print, flush=True)
    marks = run_demo(course, folder, course.select(args.assignments), say)
    students, _ = read_sample_class(Path(__file__).with_name("sample_class.toml"))
    print("\n" + format_marks(marks, students))
    print(f"\nmarks     {folder / 'marks.csv'}\nfeedback  {folder / 'feedback'}\nreport    {folder / 'report.html'}")
    print(f"gradebook {folder / 'gradebook.db'}")
    for line in surprises(marks):
        print(f"NOT AS EXPECTED  {line}")
    return FINDINGS if surprises(marks) else DONE


def _audit(course: Course, args: argparse.Namespace) -> int:
    import json

    from grader.audit.audit import audit_all
    from grader.audit.report import as_json, report

    audits = audit_all(course, course.select(args.assignments), args.exercise, args.jobs, not args.no_mutations)
    print(report(audits))
    if args.json:
        args.json.write_text(json.dumps(as_json(audits), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return FINDINGS if any(a.all_findings for a in audits) else DONE


def _grade(course: Course, args: argparse.Namespace) -> int:
    from grader.classrun.executors import all_or_none, processors
    from grader.classrun.run import end, grade_class
    from grader.classrun.summary import repairs, summary
    from grader.core.nbgrader_api import course_config

    config = course_config(course)
    if args.isolation:
        config.MarkingExecute.isolation = args.isolation
    if args.render:
        config.MarkingExecute.render = True
    terminal = sys.stderr.isatty()
    try:
        entries = grade_class(
            course,
            config,
            course.select(args.assignments),
            args.student,
            force=args.force,
            jobs=args.jobs or processors(),
            scheduler=args.scheduler,
            tls=all_or_none(args.tls_ca, args.tls_cert, args.tls_key),
            unencrypted=args.unencrypted,
            log_to=course.local / "nbgrader.log",
            say=functools.partial(print, flush=True),
            brief=terminal and not args.verbose,
            bar=terminal,
        )
    finally:
        end()
    print("\n" + summary(entries))
    if args.verbose and any(e.findings for e in entries):
        print("all that was noticed:\n" + repairs(entries))
    return FINDINGS if any(e.needs_a_look for e in entries) else DONE


def _feedback(course: Course, args: argparse.Namespace) -> int:
    from grader.classrun.executors import processors
    from grader.core.nbgrader_api import course_config
    from grader.feedback.run import Outcome, look_at, write_pages
    from grader.submissions.listing import id_of

    say = functools.partial(print, flush=True)
    chosen, students = course.select(args.assignments), [id_of(s) for s in args.student]
    config, jobs = course_config(course), args.jobs or processors()
    pages = write_pages(config, chosen, students, force=args.force, jobs=jobs, say=say)
    counts = {outcome: sum(page.outcome is outcome for page in pages) for outcome in Outcome}
    print(f"{len(pages)} pages: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.items() if n))
    if look := look_at(config, pages):
        print(f"\n{len(look)} need a look:\n  " + "\n  ".join(look))
    return FINDINGS if counts[Outcome.FAILED] or counts[Outcome.PLAIN] or look else DONE


def _doctor(course: Course, args: argparse.Namespace) -> int:
    from nbgrader.coursedir import CourseDirectory

    from grader.core.nbgrader_api import course_config
    from grader.core.private import of_course
    from grader.doctor import advice_on_marks, examine, imports_of, report

    folders = CourseDirectory(config=course_config(course))
    found = examine(imports=imports_of(course), places=of_course(folders))
    found.advice += advice_on_marks(course.local, folders.groupshared)
    print(report(found))
    return DONE if found.level == "bubblewrap" and found.sound and found.usable else FINDINGS


def _bench(course: Course, args: argparse.Namespace) -> int:
    from grader.benchmarks.bench import STUDENTS, compare, report, scaling
    from grader.benchmarks.profiling import growth, profile

    say = functools.partial(print, file=sys.stderr, flush=True)
    chosen = course.select(args.assignments)
    costs = {a: compare(course, a, args.turns, say=say, whole=args.whole) for a in chosen}
    further = [] if args.brief else chosen
    profiles = {a: profile(course, a) for a in further}
    pools = {f"{STUDENTS} students, {len(further)} notebooks": scaling(course, further, STUDENTS)} if further else {}
    written = {} if args.brief else growth(course, chosen[0], (100, 1_000, 6_000))
    print(report(costs, profiles, pools, written))
    return DONE


def _report(course: Course, args: argparse.Namespace) -> int:
    from grader.core.nbgrader_api import course_config
    from grader.report.write import write_report

    folders = course_config(course).CourseDirectory
    url, submitted = folders.db_url, Path(folders.root) / folders.submitted_directory
    if args.gradebook:
        url = args.gradebook if "://" in args.gradebook else f"sqlite:///{Path(args.gradebook).resolve()}"
        submitted = None
    to = args.to or course.local / "report.html"
    reports = write_report(
        course,
        url,
        folders.course_id,
        course.select(args.assignments),
        to,
        submitted=submitted,
        names=args.names,
        csv_to=args.csv,
    )
    for report in reports:
        note = "" if report.shown else ", too few for statistics"
        print(f"{report.data.layout.assignment:26} {report.scored} of {len(report.data.submissions)} marked{note}")
    print(to if args.csv is None else f"{to}\n{args.csv}")
    return DONE


def _collect(course: Course, args: argparse.Namespace) -> int:
    from grader.core.nbgrader_api import course_config
    from grader.gradebook.records import students_with_submissions
    from grader.lms.collect import collect
    from grader.lms.collected import summary

    folders = course_config(course).CourseDirectory
    submitted = Path(folders.root) / folders.submitted_directory
    assignment = course.select([args.assignment])[0] if args.assignment else None
    say = functools.partial(print, flush=True)
    marked = students_with_submissions(folders.db_url, folders.course_id)
    told = (say, marked, args.times, lambda done: say("\n" + summary(done)))
    result = collect(course, submitted, args.paths, assignment, args.roster, *told)
    return FINDINGS if result.needs_a_look else DONE


def _export(course: Course, args: argparse.Namespace) -> int:
    from nbgrader.api import Gradebook

    from grader.core.nbgrader_api import course_config, open_nbgrader
    from grader.lms.canvas import CanvasExportPlugin
    from grader.lms.moodle import MoodleExportPlugin
    from grader.submissions.listing import id_of

    plugin = {"moodle": MoodleExportPlugin, "canvas": CanvasExportPlugin}[args.to]
    settings = {
        "assignment": course.select(args.assignments) if args.assignments else [],
        "student": [id_of(s) for s in args.student],
        "roster": [str(path) for path in args.roster],
        "scale": args.scale,
        "include_waiting": args.include_waiting,
        **({"to": str(args.out)} if args.out else {}),
        **({"column": args.column} if args.column and args.to == "canvas" else {}),
    }
    with open_nbgrader(course_config(course)) as api, Gradebook(api.coursedir.db_url, api.coursedir.course_id) as book:
        done, look = plugin(parent=api, **settings).write(book)
    print("\n".join(done) if done else "nothing to export")
    if look:
        print(f"\n{len(look)} need a look:\n  " + "\n  ".join(look))
    return FINDINGS if look or not done else DONE


def _publish(course: Course, args: argparse.Namespace) -> int:
    from grader.publishing.command import publish_and_print

    written = publish_and_print(course, args.folder, args.site, args.replace, args.language, args.incomplete)
    return DONE if written else FINDINGS


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="grader",
        description="Author, check and grade the attention course.",
        epilog="Exit codes: 0 done, 1 something was found that needs a look, 2 the command or its input is wrong.",
    )
    parser.add_argument("--version", action="version", version=f"grader {__version__}")
    parser.add_argument("--course", type=Path, metavar="DIR", help="the course's folder (default: found from here)")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run, text: str, of_notebooks: bool = True) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if of_notebooks:
            command.add_argument(
                "assignments", nargs="*", metavar="NB", help="notebooks, as 02 or by name (default: all)"
            )
        command.set_defaults(run=run)
        return command

    add("text", _text, "write the notebooks as plain text to build/, for editing")
    add("apply", _apply, "write the plain text in build/ back into the notebooks")
    command = add("sync", _sync, "copy assets/helpers into the notebooks and normalise them")
    command.add_argument("--check", action="store_true", help="change nothing; exit with 1 if something would change")
    for name, what in {
        "execute": "run the solution notebooks, save their outputs and draw their sliders' pictures",
        "frames": "the same as execute: the pictures and the outputs are of one run",
    }.items():
        command = add(name, _execute, what)
        command.add_argument(
            "--language", default="en", metavar="LOCALE", help="run them in this language (default: en)"
        )
    command = add("check", _check, "check notebooks and helpers against the style guide")
    command.add_argument("--rule", action="append", default=[], metavar="NAME", help="only this rule; may be repeated")
    command.add_argument("--list", action="store_true", help="list the rules with their reasons and do nothing else")
    command.add_argument("--counts", action="store_true", help="count words, cells, minutes and do nothing else")
    command = add("release", _release, "make the students' notebooks in notebooks/, through nbgrader")
    command.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if notebooks/ is out of date"
    )
    command = add("translate", _translate, "bring catalogues of translations up to date, fill and check them")
    command.add_argument("--language", default="zh_CN", metavar="LOCALE", help="the language (default: zh_CN)")
    command.add_argument(
        "--helpers", action="store_true", help="with the helpers that a notebook is the first to carry"
    )
    command.add_argument("--check", action="store_true", help="change nothing; exit with 1 if something is to do")
    command.add_argument("--missing", type=Path, metavar="JSON", help="write what is missing, to be filled")
    command.add_argument("--fill", type=Path, metavar="JSON", help="put translations in: {key: text}")
    command.add_argument("--preview", action="store_true", help="write the translated notebooks to build/")
    command.add_argument("--fonts", action="store_true", help="cut fonts for figures where a notebook lacks letters")
    command = add("demo", _demo, "grade a bundled sample class, from release to feedback and marks.csv")
    command.add_argument("--to", type=Path, metavar="DIR", help="work here; emptied first (default: grader/local/demo)")
    command = add(
        "collect", _collect, "take downloads from Moodle or Canvas, or folders, into grader/local/submitted", False
    )
    command.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="downloaded zip files, folders, notebooks")
    command.add_argument(
        "--assignment", metavar="NB", help="all files are of this notebook (default: their content says)"
    )
    command.add_argument(
        "--roster",
        action="append",
        default=[],
        type=Path,
        metavar="CSV",
        help="Moodle's grading worksheet or Canvas' gradebook: names, addresses, times; may be repeated",
    )
    command.add_argument(
        "--times",
        action="store_true",
        help="nbgrader's exchange wrote each timestamp.txt in STUDENT/ASSIGNMENT: use them",
    )
    command = add("grade", _grade, "mark the submissions in grader/local/submitted")
    command.add_argument("--student", action="append", default=[], metavar="ID", help="only this one; may be repeated")
    command.add_argument("--force", action="store_true", help="mark again what has not changed")
    command.add_argument(
        "--isolation", choices=("limits", "landlock", "bubblewrap"), help="refuse to mark with less than this"
    )
    command.add_argument("--verbose", action="store_true", help="list every submission and every repair")
    command.add_argument("--jobs", type=int, metavar="N", help="submissions at once (default: one per processor)")
    command.add_argument("--render", action="store_true", help="draw the figures of students' own cells")
    command.add_argument("--scheduler", metavar="ADDRESS", help="let the workers of this Dask scheduler mark")
    for name, what in (("ca", "certificate authority"), ("cert", "own certificate"), ("key", "own key")):
        command.add_argument(f"--tls-{name}", metavar="FILE", help=f"{what}, for a tls:// scheduler")
    command.add_argument("--unencrypted", action="store_true", help="without TLS: whoever reaches it can run code here")
    command = add("feedback", _feedback, "write the students' feedback pages, for what was marked since last time")
    command.add_argument("--student", action="append", default=[], metavar="ID", help="only this one; may be repeated")
    command.add_argument("--force", action="store_true", help="write again what has not changed")
    command.add_argument("--jobs", type=int, metavar="N", help="pages at once (default: one per processor)")
    command = add("export", _export, "write marks and feedback in the form that Moodle or Canvas takes back")
    command.add_argument("--to", required=True, choices=("moodle", "canvas"), help="the system")
    command.add_argument("--out", type=Path, metavar="DIR", help="write there (default: grader/local/export/SYSTEM)")
    command.add_argument(
        "--roster",
        action="append",
        default=[],
        type=Path,
        metavar="CSV",
        help="fill in this: Moodle's grading worksheet (may be repeated) or Canvas' exported gradebook",
    )
    command.add_argument("--student", action="append", default=[], metavar="ID", help="only this one; may be repeated")
    command.add_argument("--column", metavar="HEADING", help="Canvas: the assignment's column in the gradebook")
    command.add_argument("--scale", action="store_true", help="convert points where the system has another maximum")
    command.add_argument(
        "--include-waiting", action="store_true", help="also marks that still wait for a person to add points"
    )
    command = add("report", _report, "write a page about how the class did: marks, item analysis, misconceptions")
    command.add_argument("--to", type=Path, metavar="FILE", help="the page (default: grader/local/report.html)")
    command.add_argument("--names", action="store_true", help="show students by name instead of by pseudonym")
    command.add_argument("--csv", type=Path, metavar="DIR", help="also write the numbers of each plot as CSV")
    command.add_argument(
        "--gradebook", metavar="FILE", help="another gradebook than the course's: a file or an address"
    )
    command = add(
        "publish",
        _publish,
        "write the students' repository: notebooks, README, requirements; and the web edition",
        False,
    )
    command.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="a new folder, or one that this wrote")
    command.add_argument("--site", type=Path, metavar="DIR", help="also, or only, write the course as web pages there")
    command.add_argument("--replace", action="store_true", help="also replace files that were edited there")
    command.add_argument("--language", default="en", metavar="LOCALE", help="of the students' repository: en or zh_CN")
    command.add_argument("--incomplete", action="store_true", help="leave English what is not translated yet")
    add("doctor", _doctor, "report how far this machine can isolate student code, by trying it")
    command = add("bench", _bench, "measure what marking costs, next to stock nbgrader, with students who explore")
    command.add_argument("--turns", type=int, default=3, metavar="N", help="how many turns count (default: 3)")
    command.add_argument("--brief", action="store_true", help="no profile, no workers side by side, no large gradebook")
    command.add_argument("--whole", action="store_true", help="stock nbgrader runs demonstrations too (minutes)")
    command = add("audit", _audit, "run wrong, right and automatically changed answers against the test cells")
    command.add_argument("--exercise", metavar="NAME", help="only this exercise: its function's name or number (2.3)")
    command.add_argument("--jobs", type=int, metavar="N", help="answers that run at once (default: one per processor)")
    command.add_argument("--no-mutations", action="store_true", help="leave the automatic changes out")
    command.add_argument("--json", type=Path, metavar="FILE", help="also write the figures and findings as JSON")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: Arguments; the process's own by default.

    Returns:
        The exit code.
    """
    begin()
    args = build_parser().parse_args(argv)
    look_seldom()
    try:
        code = args.run(Course.find(args.course), args)
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, BrokenPipeError) as end:
        return ended_by(end, args.command)
    except Exception as error:
        lines = f"grader {args.command}: {as_told(error)}".splitlines()  # it may quote a file's name
        print("\n".join("  " * (n > 0) + printable_line(line, 10_000) for n, line in enumerate(lines)), file=sys.stderr)
        return USAGE
