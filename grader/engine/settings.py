"""How to mark: the one home of the settings and of their defaults.

`grader grade`, `nbgrader autograde` and the formgrader read them from the same section of `nbgrader_config.py`:
`c.MarkingExecute`, after the step that nbgrader runs. `c.Marking` is read as well; `c.MarkingExecute` overrides it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from traitlets import Bool, Enum, Float, Integer
from traitlets.config import Config, Configurable

from grader.engine import fingerprints
from grader.sandbox.inside.isolate import LEVELS, Limits
from grader.submissions import intake

#: Seconds on the clock for each CPU second. Only what neither computes nor waits for long meets this limit, or what a
#: machine leaves a tenth of a processor to.
_CLOCK = 10
#: A notebook may wait for so many times as long as a call or cell.
_WAITS = 4
#: Steps of nbgrader whose configuration changes a marked notebook.
_OUTPUT_STEPS = ("LimitOutput", "IgnorePattern")


@dataclass(frozen=True)
class Pace:
    """What the reference solution of a notebook takes on this machine.

    Args:
        call_s: CPU seconds of its longest call.
        cell_s: Of its longest cell or test.
        notebook_s: Of all.
    """

    call_s: float = 0.0
    cell_s: float = 0.0
    notebook_s: float = 0.0


@dataclass(frozen=True)
class Budget:
    """Time that a notebook gets.

    Computing is counted in CPU seconds, waiting in seconds in which neither side computes (`patience.py`); the clock
    is the limit for what evades both.

    Args:
        call_cpu_s: For one call of a student's function by a test.
        call_wall_s: The same on the clock.
        cell_cpu_s: For a cell of the student's, and for all calls of a test cell together.
        cell_wall_s: The same on the clock.
        test_wall_s: For a test cell, on the clock.
        notebook_cpu_s: For the whole notebook.
        notebook_wall_s: The same on the clock, reading and recognising mistakes included.
        demonstrations_cpu_s: For all demonstrations that run because an answer needs them, and for what stands beside
            answers and no mark needs.
        waiting_s: For which a call or cell may wait.
        notebook_waiting_s: For which all of them may wait.
        grace_s: After which code that does not stop when interrupted is killed.
        restarts: How often a new pair of processes is started.
        times: Computing may take so many times as long as that of the reference; the seconds above are the least.
    """

    call_cpu_s: float = 5.0
    call_wall_s: float = _CLOCK * call_cpu_s
    cell_cpu_s: float = 20.0
    cell_wall_s: float = _CLOCK * cell_cpu_s
    test_wall_s: float = _CLOCK * cell_cpu_s
    notebook_cpu_s: float = 60.0
    notebook_wall_s: float = _CLOCK * notebook_cpu_s
    demonstrations_cpu_s: float = 60.0
    waiting_s: float = 5.0
    notebook_waiting_s: float = _WAITS * waiting_s
    grace_s: float = 5.0
    restarts: int = 4
    times: float = 30.0

    @classmethod
    def of(
        cls, call_s: float, cell_s: float, notebook_s: float, demonstrations_s: float, waiting_s: float, times: float
    ) -> Budget:
        """Return the budget for CPU seconds of a call, a cell, a notebook and demonstrations, and for waiting."""
        return cls(
            call_cpu_s=call_s,
            call_wall_s=_CLOCK * call_s,
            cell_cpu_s=cell_s,
            cell_wall_s=_CLOCK * cell_s,
            test_wall_s=_CLOCK * cell_s,
            notebook_cpu_s=notebook_s,
            notebook_wall_s=_CLOCK * notebook_s,
            demonstrations_cpu_s=demonstrations_s,
            waiting_s=waiting_s,
            notebook_waiting_s=_WAITS * waiting_s,
            times=times,
        )

    def without(self, cpu_s: float, wall_s: float, waited_s: float, restarts: int) -> Budget:
        """Return what is left of it for the same notebook; less than nothing if it is used up.

        Args:
            cpu_s: CPU seconds that were used.
            wall_s: Seconds on the clock.
            waited_s: Seconds of waiting.
            restarts: New pairs of processes.
        """
        return replace(
            self,
            notebook_cpu_s=self.notebook_cpu_s - cpu_s,
            notebook_wall_s=self.notebook_wall_s - wall_s,
            notebook_waiting_s=self.notebook_waiting_s - waited_s,
            restarts=self.restarts - restarts,
        )

    def for_reference(self, pace: Pace) -> Budget:
        """Return the budget for a notebook whose reference solution takes its time.

        Limits come in steps, each twice the one before, so that a second measurement seldom gives others.

        Args:
            pace: What the reference takes.
        """
        call, cell, notebook = (
            _stepped(least, self.times * measured)
            for least, measured in (
                (self.call_cpu_s, pace.call_s),
                (self.cell_cpu_s, pace.cell_s),
                (self.notebook_cpu_s, pace.notebook_s),
            )
        )
        return replace(
            self,
            call_cpu_s=self.call_cpu_s * call,
            call_wall_s=self.call_wall_s * call,
            cell_cpu_s=self.cell_cpu_s * cell,
            cell_wall_s=self.cell_wall_s * cell,
            test_wall_s=self.test_wall_s * cell,
            notebook_cpu_s=self.notebook_cpu_s * notebook,
            notebook_wall_s=self.notebook_wall_s * notebook,
        )


def _stepped(least: float, wanted: float) -> int:
    """Return the power of two by which a number has to be multiplied to be no less than another."""
    factor = 1
    while 0 < least * factor < wanted:
        factor *= 2
    return factor


@dataclass(frozen=True)
class Settings:
    """How to mark, as it is sent to a worker.

    Args:
        isolation: Least level of isolation that will do.
        budget: Time.
        limits: Memory and the like.
        imports: What the warm process imports; by default what the assignment does.
        outputs: nbgrader's configuration of `LimitOutput` and `IgnorePattern`.
        environment: Fingerprint of what marks; a worker that has another one refuses.
        render: Draw the figures of students' own cells.
        file_mib: Size of the largest file of a student's that is read; from 25 on without its outputs.
    """

    isolation: str = "best"
    budget: Budget = field(default_factory=Budget)
    limits: Limits = field(default_factory=Limits)
    imports: str = ""
    outputs: Config = field(default_factory=Config)
    environment: str = ""
    render: bool = False
    file_mib: int = intake.MAX_SLIMMED // 2**20

    @property
    def fingerprint(self) -> str:
        """The fingerprint of what is set and can change marks or marked notebooks."""
        return (
            fingerprints.fingerprint(repr((self.budget, self.limits, self.outputs)).encode()) + " drawn" * self.render
        )


class Marking(Configurable):
    """What an instructor can set in `nbgrader_config.py`; the defaults are those of `Settings`."""

    isolation = Enum(
        ("best", *LEVELS),
        default_value=Settings.isolation,
        help="Least isolation that will do, less is refused; 'best' takes what there is, but 'limits' only by name.",
    ).tag(config=True)
    call_s = Float(
        Budget.call_cpu_s, help="CPU seconds for a call of a student's function by a test: the least, see `times`."
    ).tag(config=True)
    cell_s = Float(
        Budget.cell_cpu_s, help="CPU seconds for a cell of the student's or a test: the least, see `times`."
    ).tag(config=True)
    notebook_s = Float(Budget.notebook_cpu_s, help="CPU seconds for a notebook: the least, see `times`.").tag(
        config=True
    )
    times = Float(
        Budget.times,
        help="Computing may take so many times as long as the reference solution takes on this machine, which is "
        "measured once a submission has run out of call_s, cell_s or notebook_s; 0: those are the limits.",
    ).tag(config=True)
    waiting_s = Float(
        Budget.waiting_s,
        help=f"Seconds for which a call or cell may wait (sleep, input, a lock); a notebook {_WAITS} times as many.",
    ).tag(config=True)
    demonstrations_s = Float(
        Budget.demonstrations_cpu_s,
        help="CPU seconds for all demonstrations, trainings included, that run because an answer needs them, and for "
        "code beside answers that no mark needs.",
    ).tag(config=True)
    memory_mib = Integer(
        Limits.memory_mib,
        help="Address space of each process that runs a student's code or its tests, beyond what it was forked with.",
    ).tag(config=True)
    render = Bool(
        Settings.render, help="Draw the figures of students' own cells, for the marked notebook and feedback."
    ).tag(config=True)

    file_mib = Integer(
        Settings.file_mib,
        help="Size of the largest file of a student's that is read. One of more than 25 is read without its outputs.",
    ).tag(config=True)

    @classmethod
    def section_names(cls) -> list[str]:
        """Return the sections of the configuration that are read, the last one overriding."""
        return list(dict.fromkeys([*super().section_names(), "MarkingExecute"]))

    def settings(self) -> Settings:
        """Return what is configured here, and for nbgrader's own steps that change outputs."""
        return Settings(
            isolation=self.isolation,
            budget=Budget.of(
                self.call_s, self.cell_s, self.notebook_s, self.demonstrations_s, self.waiting_s, self.times
            ),
            limits=Limits(memory_mib=self.memory_mib),
            outputs=Config({name: self.config[name] for name in _OUTPUT_STEPS if name in self.config}),
            render=self.render,
            file_mib=self.file_mib,
        )
