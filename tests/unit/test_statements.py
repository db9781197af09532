"""What is followed of statements that are a thousand deep: Python reads a sum of a thousand terms that way."""

import re

import pytest

from grader.core.statements import statements_of

#: The same with few and with many terms, as text and how often its middle is said.
DEEP = {
    "sum": ("1{0}", " + 1"),
    "sum of names": ("a + b{0}", " + c"),
    "texts": ("(\n    'a'{0}\n)", "\n    + 'b'"),
    "signs": ("{0}1", "-"),
    "powers": ("1{0}", " ** 2"),
    "attributes": ("a{0}", ".b"),
    "calls": ("a{0}", ".b()"),
    "places": ("a{0}", "[b]"),
    "choices": ("{0}c", "1 if a else "),
    "functions": ("{0}a", "lambda: "),
}
DEPTHS = [400, 990, 1500, 5000]


def said_of(source):
    return [(s.binds, s.now, s.later, s.stores, s.hands, s.methods, s.fixed, s.imports) for s in statements_of(source)]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", DEEP)
def test_a_deep_expression_is_read_as_a_flat_one(name, depth):
    text, middle = DEEP[name]
    for form in ("x = {}", "x += {}", "print({})", "a[0] = {}", "if a:\n    import json as j\n    x = {}"):
        few, many = (form.format(text.format(middle * n).replace("\n", "\n    ")) for n in (3, depth))
        assert said_of(many) in (said_of(few), []), "Python itself reads it no more"
        assert said_of(many) or depth > 990


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_function_with_a_deep_expression_binds_its_name(depth):
    text = "def f(n):\n    global g\n    g += a" + " + 1" * depth + "\n    return n"
    for said in statements_of(text):
        assert said.binds == {"f", "g"}
        assert said.declared == {"g"}
        assert {"a", "g"} <= said.later
        assert said.defines
    assert statements_of(text) or depth > 990


@pytest.mark.parametrize("depth", [99, 400, 1500, 5000])
def test_a_long_chain_of_elif_is_followed(depth):
    text = "if a == 0:\n    x = 0\n" + "".join(f"elif a == {n}:\n    x = b.c(n)\n    d[0] = 1\n" for n in range(depth))
    for said in statements_of(text):
        assert said.binds == {"x"}
        assert said.now == {"a", "b", "d", "n"}
        assert said.stores == {"d"}
    assert statements_of(text) or depth > 990


@pytest.mark.parametrize(("text", "fixed"), [("1{}", True), ("np.inf{}", True), ("a{}", False), ("1{} + a", False)])
def test_a_long_sum_is_fixed_if_all_of_it_is(text, fixed):
    for depth in (3, 990, 1500):
        (said,) = statements_of("x = " + text.format(" + 1" * depth))
        assert said.fixed == fixed
        (said,) = statements_of(re.sub("^", "x: int = (1, 'a', ", text.format(" - 1" * depth)) + ")")
        assert said.fixed == fixed
