"""The automatic changes: each operator is there, stays inside the solution, and has a stable name."""

import ast
from textwrap import dedent, indent

import pytest

from grader.audit.mutations import changes, solution_regions, stub_of
from grader.core.catalogue import one_line
from grader.core.errors import GraderError


def answer(body: str, signature: str = "f(x, y, axis=0)") -> str:
    body = indent(dedent(body).strip("\n"), "    ")
    head = f'def {signature}:\n    """Return 1 + 1.\n\n    Returns:\n        `(T,)`\n    """\n'
    return f"{head}    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION\n"


def pairs(body: str, **more) -> set[tuple[str, str, str]]:
    return {(c.operator, c.was, c.now) for c in changes(answer(body, **more))}


@pytest.mark.parametrize(
    ("statement", "operator", "now"),
    [
        ("z = x + y", "arithmetic", "z = x - y"),
        ("z = x * y", "arithmetic", "z = x / y"),
        ("z = x - y", "swapped operands", "z = y - x"),
        ("z = x @ y", "swapped operands", "z = y @ x"),
        ("z = x @ y", "dropped operand", "z = x"),
        ("z = x & y", "arithmetic", "z = x | y"),
        ("z = x < y", "comparison", "z = x <= y"),
        ("z = x == y", "comparison", "z = x != y"),
        ("z = x is None", "comparison", "z = x is not None"),
        ("z = x and y", "and/or", "z = x or y"),
        ("z = a and b and c", "dropped operand", "z = a and c"),
        ("z = not x", "sign", "z = x"),
        ("z = ~x", "sign", "z = x"),
        ("z = -x", "sign", "z = x"),
        ("z = 3", "constant", "z = 4"),
        ("z = -1", "constant", "z = 0"),
        ("z = -1", "constant", "z = -2"),
        ("z = 0.5", "constant", "z = 1.0"),
        ("z = -1000000000.0", "constant", "z = 1000000000.0"),
        ("z = True", "truth value", "z = False"),
        ("z = np.sum(x, axis=-1)", "axis", "z = np.sum(x, axis=-2)"),
        ("z = np.sum(x, axis=-1)", "dropped keyword", "z = np.sum(x)"),
        ("z = np.sum(x, axis=axis)", "axis", "z = np.sum(x, axis=-1)"),
        ("z = np.sum(x, axis=(0, 1))", "axis", "z = np.sum(x, axis=(0, 2))"),
        ("z = np.mean(x, 1)", "axis", "z = np.mean(x, 0)"),
        ("z = x.mean(1)", "axis", "z = x.mean(0)"),
        ("z = np.where(a, b, c)", "swapped arguments", "z = np.where(a, c, b)"),
        ("z = np.where(a, b, c)", "dropped argument", "z = np.where(a, b)"),
        ("z = np.max(x)", "function", "z = np.min(x)"),
        ("z = any(x)", "function", "z = all(x)"),
        ("z = np.tanh(x)", "dropped function", "z = x"),
        ("z = x.copy()", "dropped function", "z = x"),
        ("z = x.T", "dropped transpose", "z = x"),
        ("z = x[1:]", "slice", "z = x[:]"),
        ("z = x[::2]", "slice", "z = x[::-2]"),
        ("z = x[:, -1]", "constant", "z = x[:, -2]"),
        ("z = x[i, 0]", "swapped indices", "z = x[0, i]"),
        ("z = x[i]", "index", "z = x[i - 1]"),
        ("z = x if y else 0", "condition", "z = x"),
        ("z = [a for a in b if a]", "condition", "z = [a for a in b]"),
        ("z = x", "other argument", "z = y"),
        ("x = x + 1", "dropped statement", "pass"),
        ("z += 1", "assignment", "z = 1"),
        ("z += 1", "arithmetic", "z -= 1"),
        ("z = z + 1", "change in place", "z += 1"),
        ("raise ValueError(f'bad {x + 1}')", "function", "raise RuntimeError(f'bad {x + 1}')"),
    ],
)
def test_operators(statement, operator, now):
    assert (operator, statement, now) in pairs(f"{statement}\nreturn z")


def test_conditions_and_loops():
    found = pairs("""
        for t in range(1, len(x)):
            if t > y:
                break
            else:
                z = t
        return z, t
    """)
    assert ("bound", "for t in range(1, len(x)):", "for t in range(1, len(x) - 1):") in found
    assert ("condition", "if t > y:", "if True:") in found
    assert ("condition", "if t > y:", "if False:") in found
    assert ("continue for break", "break", "continue") in found
    assert ("swapped results", "return (z, t)", "return (t, z)") in found
    assert ("dropped statement", "for t in range(1, len(x)):", "pass") in found


def test_statements_change_places_only_if_their_order_can_matter():
    assert ("swapped statements", "x = a ;; b = x", "b = x ;; x = a") in pairs("x = a\nb = x\nreturn b")
    assert ("swapped statements", "x[0] = 1 ;; b = x", "b = x ;; x[0] = 1") in pairs("x[0] = 1\nb = x\nreturn b")
    assert ("swapped statements", "x.sort() ;; b = x", "b = x ;; x.sort()") in pairs("x.sort()\nb = x\nreturn b")
    assert not any(o == "swapped statements" for o, _, _ in pairs("a = x\nb = y\nreturn a"))


def test_what_ends_in_a_name_error_is_left_out():
    found = pairs("a = x\nb = a\nx = b\ndead = 1\nreturn x")
    dropped = {was for operator, was, _ in found if operator == "dropped statement"}
    assert dropped == {"x = b", "dead = 1"}
    assert not any(operator == "swapped statements" and was.startswith(("a", "b")) for operator, was, _ in found)


def test_symmetric_functions_and_pythons_own_are_no_puzzle():
    found = pairs("z = max(len(x), 1)\nreturn np.maximum(x, z)")
    assert not any(operator in ("swapped arguments", "axis") for operator, _, _ in found)
    assert ("constant", "z = max(len(x), 1)", "z = max(len(x), 2)") in found


def test_texts_imports_and_everything_outside_the_solution_stay():
    source = "import numpy as np\nLIMIT = 1 + 1\n" + answer(
        """
        import math
        if x:
            raise ValueError("no" + str(x + 1))
        return f"{x + 1}"
    """
    )
    found = changes(source)
    assert len(found) >= 3
    for change in found:
        names = {ast.unparse(n) for n in ast.walk(ast.parse(change.source)) if isinstance(n, ast.stmt)}
        assert {"import numpy as np", "LIMIT = 1 + 1", "import math"} <= names
        assert "Return 1 + 1." in change.source
        assert "axis=0" in change.source
        assert "f'{x + 1}'" in change.source
        assert change.now in ("pass", "if True:", "if y:", "if axis:") or "RuntimeError" in change.now


def test_every_region_of_a_cell_with_several_functions_is_changed():
    source = answer("return x + 1", signature="f(x)") + "\n\n" + answer("return x + 1", signature="g(x)")
    found = [c for c in changes(source) if c.now == "return x - 1"]
    assert [c.nth for c in found] == [1, 2]
    assert len({c.key for c in changes(source)}) == len(changes(source))


def test_the_list_is_the_same_each_time_and_without_repetition():
    source = answer("z = np.max(x, axis=-1) + 1\nz = -z * x[1:]\nreturn z, x")
    found = changes(source)
    assert found == changes(source)
    assert [c.line for c in found] == sorted(c.line for c in found)
    programs = [ast.dump(ast.parse(c.source)) for c in found]
    assert len(set(programs)) == len(programs)
    assert ast.dump(ast.parse(source)) not in programs


def test_keys_are_in_the_form_in_which_the_catalogue_reads_them():
    found = changes(answer("z = (x+1)\nif (z):\n    z = z[1 :]\nx.sort()\nreturn (z, x)"))
    assert {"z = x + 1", "if z:", "z = z[1:]"} <= {change.was for change in found}
    for change in found:
        assert one_line(change.was) == change.was
        assert one_line(change.now) == change.now


def test_a_stub_is_what_nbgrader_releases():
    stub = stub_of(answer("return x"), "# Write here.\nraise NotImplementedError")
    assert stub.endswith('    """\n    # Write here.\n    raise NotImplementedError\n')


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("x = 1\n", "no complete solution region"),
        ("### BEGIN SOLUTION\nx = 1\n", "no complete solution region"),
        ("x = 1\n### END SOLUTION\n", "without a beginning"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION\n", "in a row"),
    ],
)
def test_marks_come_in_pairs(source, what):
    with pytest.raises(GraderError, match=what):
        solution_regions(source, "cell f")
