"""Which formulas of a student's are set on the formgrader's page, and which are shown as they were typed."""

import html
import re

import pytest
from bs4 import BeautifulSoup

from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.feedback import formulas
from grader.feedback.boxes import laid_out_anew
from grader.feedback.formulas import LEFT_ALONE, NAMES, SET, Formulas, is_harmless
from grader.feedback.in_session import harmless
from grader.feedback.sanitise import clean_html, student_markdown

COURSE = Course.find()
HARMLESS = [
    r"$x$",
    r"$a < b$ ",
    r"$\alpha_1, \dots, \alpha_T$",
    r"$\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$",
    r"$$\sum_{i=1}^{n} \lVert q_i - k_j \rVert^2$$",
    r"$$\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$$",
    "\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}",
    r"\begin{equation}x\tag{1}\end{equation}",
    r"$f(x) = \begin{cases} 1 & \text{if $x > 0$,} \\ 0 & \text{else} \end{cases}$",
    r"$\operatorname*{arg\,max}_{x \in \mathbb{R}} \; \mathbf{w}^{\top} x$",
    r"$a\\b$",
    r"$\begin{aligned}a &= b \\[10pt] c &= d \\ [1.5em] e &= f\end{aligned}$",
    r"$\left\{x \middle| x > 0\right\}$",
    *(rf"$x \\[{near}] y$" for near in ("39.5pt", "-2px", "2.999em", ".5em", "-1ex", "9mm", "1cm", "0.4cm", "18mu")),
    r"$\begin{matrix}" + r"0 & 0 & 0 & 0 & 0 & 0 & 0 & 0 \\ " * 8 + r"\end{matrix}$",
    r"$5\% \{x\} \| y \|$",
    "$x % a remark\ny$",
    r"$\hat{y}\hspace{1.5em}\bar y$",
    r"$\underbrace{a + b}_{c} \xrightarrow{n} \overset{!}{=}$",
]
HARMFUL = [
    r"$\style{cursor:url(http://elsewhere.example/x.png),auto}{x}$",
    r"$\href{http://elsewhere.example/}{x}$",
    r"$\class{MJX-x}{x}$ and $\cssId{x}{y}$",
    r"$\bbox[cursor:url(http://elsewhere.example/x.png)]{x}$",
    r"$\mmlToken{mglyph}[src=http://elsewhere.example/x.png]{}$",
    r"$\mmlToken{mi}[style='cursor:url(/logout)']{k}$",
    r"$\require{HTML}x$",
    r"$\unicode[font]{x41} \char`a$",
    r"$\def\a{x}\a$",
    r"$\newcommand{\a}{x}\a$ $\let\a=\b$ $\gdef\a{b}$ $\newenvironment{x}{}{}$ $\DeclareMathOperator{\x}{y}$",
    r"$\enclose{circle}[mathcolor=red]{x}$ $\color{red}{x}$ $\cancel[class=x]{x}$ $\texttip{x}{y}$ $\verb|x|$",
    r"$\label{a}$ $\ref{a}$ $\eqref{a}$",
    r"$\rule{9999em}{9999em}$",
    r"$\hspace{9999em}$ $\hspace\style{}$ $\kern9999em$",
    r"$\pmb{\pmb{x}}$",
    r"$\begin{alignat}{999999999}x\end{alignat}$",
    r"$\begin{\style}x\end{\style}$ $\begin\style{x}$ $\begin {array}{c}x\end {array}$",
    r"$\\\style{x}{y}$",
    r"$\text{a $\style{x}{y}$}$",
    r"$\text{\\$\style{x}{y}$}$",
    r"$\frac\style{x}{y}$",
    r"$x \$ \style{x}{y} $",
    "$x %\\\n\\style{x}{y}$",
    r"$\Style{x}{y}$ $\Alpha$",
    r"$^^5cstyle\style{x}{y}$",
    r"$$\style{x}{y}$$",
    r"\begin{align}\style{x}{y}\end{align}",
    r"\begin{foo}x\end{foo}",
    r"\ref{x} \eqref{x}",
    "$" + "{" * 13 + "}" * 13 + "$",
    "$" + r"\left(" * 13 + r"\right)" * 13 + "$",
    "$" + "x" * 1_000 + "$",
    r"$\begin{matrix}" + "&" * 100 + r"\\ " * 100 + r"\end{matrix}$",
    r"$x \\[9999em] y$",
    *(rf"$x \\[{far}] y$" for far in ("40pt", "3em", "9.9cm", "2cm", "10mm", "cm", "em", "", "1e9em", "1em+", "9")),
    r"$\begin{array}{c}x \cr [9999em] y \newline*[9999em] y \\ [-9999cm]z\end{array}$",
    r"$\begin{matrix}" + r"\\ " * 40 + r"\end{matrix}$",
    "$" + r"\left(" + r"\middle|" * 11 + r"\right)$",
    "costs \\$5 or \\\\$6",
    "$x",
]
#: Formulas that no text between two tags holds: MathJax joins what a break, a comment or a mark keeps apart.
SPLIT = [
    "$\\st<br>yle{x}{y}$",
    "$\\st<!-- -->yle{x}{y}$",
    "$<b></b>\\style{x}{y}$",
    "$\\st<wbr>yle{x}{y}$",
    "&#36;&#92;style{x}{y}&#36;",
    "$&bsol;style{x}{y}$",
    "$\\&#115;tyle{x}{y}$",
    "$\\sty\u200ble{x}{y}$",
    "<script type='math/tex'>\\style{x}{y}</script>",
    "<math><mi style='cursor:url(x)'>x</mi></math>",
    f"<span class='{SET}'>$\\style{{x}}{{y}}$</span><span class={SET}>$\\style{{x}}{{y}}$</span>",
    f"<p title='<span class=\"{SET}\">'>$\\style{{x}}{{y}}$</p>",
    "$x\\style<span>{x}{y}$</span>",
    "<code>$x$</code><pre>$x$</pre>",
]


def found(markup):
    """Return the page of a piece, and the texts in which MathJax would look for formulas."""
    page = BeautifulSoup(markup, "html.parser")
    assert LEFT_ALONE in page.div["class"]
    return page, [element.get_text() for element in page.select(f".{SET}, .{SET} *, script, math")]


@pytest.mark.parametrize("formula", HARMLESS)
def test_a_harmless_formula_is_set_as_it_was_typed(formula):
    for markup in (student_markdown(f"An *answer* {formula}, so."), clean_html(f"<p>{html.escape(formula)}</p>")):
        assert found(harmless(markup, Formulas()))[1] == [formula.strip()]


@pytest.mark.parametrize("text", HARMFUL)
def test_any_other_is_shown_as_it_was_typed(text):
    shown = harmless(f"<p>{html.escape(text, quote=False)}</p>", Formulas())
    assert BeautifulSoup(shown, "html.parser").get_text() == text
    assert found(shown)[1] == []
    assert found(harmless(student_markdown(text), Formulas()))[1] == []


@pytest.mark.parametrize("text", SPLIT)
@pytest.mark.parametrize("clean", [clean_html, student_markdown])
def test_nothing_within_a_formula_hides_a_name(clean, text):
    for formula in found(harmless(clean(text), Formulas()))[1]:
        assert is_harmless(formula)
        assert r"\style" not in formula


def test_no_name_that_does_more_than_to_set_something_is_on_the_list():
    """Each reads attributes, styles, lengths, definitions or extensions, or writes its argument twice."""
    more = """above abovewithdelims action bbox begingroup bm buildrel cancel char class color colorbox cssId
    DeclareMathOperator def definecolor enclose endgroup eqref fcolorbox gdef genfrac global hbox hphantom href hskip
    html Huge kern label LARGE let llap lower mathchoice mathtip middlewithdelims mkern mmlToken moveleft moveright
    mskip mspace newcommand newenvironment overwithdelims phantom pmb raise ref renewcommand renewenvironment require
    rlap root Rule rule scalebox sideset skew smash Space style texttip toggle unicode Verb verb vphantom"""
    assert NAMES.isdisjoint(more.split())


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_every_formula_of_the_course_is_set(assignment):
    page = Formulas()
    for cell in read_notebook(COURSE.released(assignment)).cells:
        if cell.cell_type == "markdown":
            markup = harmless(student_markdown(cell), page)
            marked = re.sub(rf'<span class="{SET}">[^<]*</span>|<(pre|code)\b.*?</\1>', "", markup, flags=re.DOTALL)
            assert "$" not in marked, marked
            assert "\\" not in marked
    assert not page.too_many


@pytest.mark.parametrize(("text", "bound"), [("$x$ ", "MAX_FORMULAS"), ("$" + "x" * 900 + "$ ", "MAX_CHARACTERS")])
def test_a_page_has_a_bounded_number_of_formulas(text, bound):
    page = Formulas()
    number = getattr(formulas, bound) // (1 if bound == "MAX_FORMULAS" else len(text) - 1)
    assert page.marked(text * number).count(SET) == number
    assert not page.too_many
    assert page.marked(text * 2) == text * 2
    assert page.too_many


def test_a_page_has_a_bounded_number_of_letters_that_have_to_be_measured():
    page = Formulas()
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + formulas.MAX_MEASURED)))
    assert page.marked(f"${letters}$ ${letters}$").count(SET) == 2
    assert page.marked("$\\text{缩放因子}$").count(SET) == 1
    assert not page.too_many
    assert page.marked("$\\mathbf{缩}$") == "$\\mathbf{缩}$"
    assert page.too_many


NARROW = '<div style="width:0">'
#: Each beginning of a text that a browser takes long for, in boxes on lines, and what ends it.
LONG = {
    "letters in a narrow box": (NARROW + "a " * 9_000, "</div>"),
    "a word in a narrow box that breaks it": (
        f'<table><tr><td><pre style="width:0;white-space:normal">{"a" * 18_000}</pre></td><td>',
        "</td></tr></table>",
    ),
    "signs of two fonts in a narrow box": (NARROW + "\u2042—" * 2_700, "</div>"),
    "signs of two fonts in a cell": ("<table><tr><td>" + "\u2042—" * 2_700, "</td><td>x</td></tr></table>"),
    "letters in a narrow box that no font may have": (NARROW + "α—" * 9_400, "</div>"),
    "a heading's letters in a wide box": ("<h1>" + "words " * 3_100, "</h1>"),
    "elements around lines": (NARROW + "<sub>" * 19 + "a " * 9_000 + "</sub>" * 19, "</div>"),
    "paragraphs in elements": (NARROW + "<sub>" * 19 + "a " * 9_000, "<p>x</p>" + "</sub>" * 19 + "</div>"),
    "Chinese and Latin": ("<p>" + "漢a" * 2_000, "</p>"),
    "Hebrew and Latin": ("<p>" + "אa" * 1_500, "</p>"),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("formula", ["$\\frac$", r"\(\frac\)", r"\[\frac\]", r"\begin{align}\frac\end{align}"])
def test_what_is_laid_out_anew_for_all_formulas_of_a_page_is_bounded(name, formula):
    """Each formula that MathJax cannot read had all of it laid out once more, for 28 seconds and more."""
    (begins, ends), page = LONG[name], Formulas()
    markup = clean_html(f"{begins} {formula * 100}{ends}")
    assert not markup.startswith("<pre>&lt;")
    cost = max(laid_out_anew(markup))
    shown = [harmless(markup, page).count(SET) for _ in range(3)]
    assert cost * sum(shown) <= formulas.MAX_ANEW
    assert sum(shown) == min(formulas.MAX_FORMULAS, formulas.MAX_ANEW // cost)
    assert page.too_many


@pytest.mark.parametrize("unit", ["a", "a ", "α—", "ϡ—", "ạ—", "\u2042—", "<b>a</b>—", "<br>a"])
def test_a_block_counts_the_square_of_its_letters_whatever_they_are(unit):
    """Letters that the page's font does not have, each a line, took a browser a second for each such formula."""
    letters = html.unescape(unit.replace("<b>", "").replace("</b>", "").replace("<br>", ""))
    for number in (600, 1_200):
        markup = f'<div style="width:0">{unit * number}</div>'
        assert max(laid_out_anew(markup)) >= (len(letters) * number) ** 2 // 350
    cells = "".join(f"<td>{unit * 60}</td>" for _ in range(20))
    table, one = max(laid_out_anew(f"<table><tr>{cells}</tr></table>")), max(laid_out_anew(markup))
    assert (60 * len(letters)) ** 2 * 20 // 350 <= table < max(one / 3, 20_000)


def test_formulas_of_one_long_paragraph_are_set():
    """81 are left for students on a page of the course."""
    text = ("The weight of each state follows from the score by softmax: a mean. " * 190)[:12_500]
    page = Formulas()
    assert harmless(student_markdown(f"{text} {'$x$ ' * 81}"), page).count(SET) == 81
    assert not page.too_many


def test_formulas_of_a_long_table_are_set():
    rows = "| $x_1$ | a word | 1.234 | other words |\n" * 150 + "| word | a word | 1.234 | other words |\n" * 250
    page = Formulas()
    assert harmless(student_markdown(f"| a | b | c | d |\n|---|---|---|---|\n{rows}"), page).count(SET) == 150
    assert not page.too_many


def test_a_formula_is_laid_out_with_its_own_paragraph():
    for heavy in (
        LONG["signs of two fonts in a narrow box"],
        (LONG["elements around lines"][0] + "</sub>" * 19, "</div>"),
    ):
        markup = clean_html(f"{heavy[0]}<p>{'$x$ ' * 100}</p>{heavy[1]}")
        assert harmless(markup, Formulas()).count(SET) == 100


@pytest.mark.parametrize(("before", "free"), [("", True), ("\\", False), ("\\\\", True), ("a\\\\", True)])
def test_letters_behind_the_end_of_a_row_are_no_words(before, free):
    """`\\\\text{...}` ends a row, and what follows is set letter by letter."""
    letters = "".join(map(chr, range(0x4E00, 0x4E01 + formulas.MAX_MEASURED)))
    page = Formulas()
    assert page.marked(f"${before}\\text{{{letters}}}$").count(SET) == free
    assert page.too_many is not free


def test_a_page_has_a_bounded_number_of_letters_in_words():
    page, text = Formulas(), f"$\\text{{{'缩放因子' * 125}}}$ "
    number = formulas.MAX_WORDS // 500
    assert page.marked(text * number).count(SET) == number
    assert not page.too_many
    assert page.marked(text) == text
    assert page.too_many


def test_what_never_ends_counts_too():
    """Each beginning is read up to the length of a formula: a page of them takes a bounded time."""
    page = Formulas()
    text = "$${" * 5_000
    assert page.marked(text) == text
    assert page.too_many
