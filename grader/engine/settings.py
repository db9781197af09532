"""How to mark: the one home of the settings and of their defaults.

`grader grade`, `nbgrader autograde` and the formgrader read them from the same section of `nbgrader_config.py`:
`c.MarkingExecute`, after the step that nbgrader runs. `c.Marking` is read as well; `c.MarkingExecute` overrides it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from traitlets import Bool, Enum, Float, Integer
from traitlets.config import Config, Configurable

from grader.engine import fingerprints
from grader.sandbox.inside.isolate import LEVELS, Limits
from grader.submissions import intake

#: Seconds on the clock for each CPU second of a cell and of a call, and of a test cell for each CPU second of a call.
_CELL_CLOCK, _CALL_CLOCK, _TEST_CLOCK = 2, 3, 9
#: Steps of nbgrader whose configuration changes a marked notebook.
_OUTPUT_STEPS = ("LimitOutput", "IgnorePattern")


@dataclass(frozen=True)
class Budget:
    """Time that a notebook gets. CPU seconds are what counts; the clock is the limit for code that sleeps.

    Args:
        cell_cpu_s: For a cell of the student's.
        cell_wall_s: The same on the clock.
        call_cpu_s: For one call of a student's function by a test.
        call_wall_s: The same on the clock.
        test_wall_s: For a test cell, on the clock.
        grace_s: After which code that does not stop when interrupted is killed.
        notebook_wall_s: For the whole notebook, on the clock.
        demonstrations_wall_s: For all demonstrations that run because an answer needs them, on the clock.
        restarts: How often a new pair of processes is started.
    """

    cell_cpu_s: float = 60.0
    cell_wall_s: float = _CELL_CLOCK * cell_cpu_s
    call_cpu_s: float = 10.0
    call_wall_s: float = _CALL_CLOCK * call_cpu_s
    test_wall_s: float = _TEST_CLOCK * call_cpu_s
    grace_s: float = 5.0
    notebook_wall_s: float = 400.0
    demonstrations_wall_s: float = 120.0
    restarts: int = 4

    @classmethod
    def of(cls, cell_s: float, call_s: float, notebook_s: float, demonstrations_s: float) -> Budget:
        """Return the budget for CPU seconds of a cell and a call, and clock seconds of a notebook and its trainings."""
        return cls(
            cell_cpu_s=cell_s,
            cell_wall_s=_CELL_CLOCK * cell_s,
            call_cpu_s=call_s,
            call_wall_s=_CALL_CLOCK * call_s,
            test_wall_s=_TEST_CLOCK * call_s,
            notebook_wall_s=notebook_s,
            demonstrations_wall_s=demonstrations_s,
        )


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
    notebook_s = Float(Budget.notebook_wall_s, help="Seconds on the clock for one notebook.").tag(config=True)
    cell_s = Float(
        Budget.cell_cpu_s,
        help=f"CPU seconds for a cell of the student's; {_CELL_CLOCK} times as many on the clock.",
    ).tag(config=True)
    call_s = Float(
        Budget.call_cpu_s, help=f"CPU seconds for a call by a test; {_CALL_CLOCK} times as many on the clock."
    ).tag(config=True)
    demonstrations_s = Float(
        Budget.demonstrations_wall_s,
        help="Seconds on the clock for all demonstrations, trainings included, that run because an answer needs them.",
    ).tag(config=True)
    memory_mib = Integer(
        Limits.memory_mib, help="Address space of each process, on top of what it was forked with."
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
            budget=Budget.of(self.cell_s, self.call_s, self.notebook_s, self.demonstrations_s),
            limits=Limits(memory_mib=self.memory_mib),
            outputs=Config({name: self.config[name] for name in _OUTPUT_STEPS if name in self.config}),
            render=self.render,
            file_mib=self.file_mib,
        )
