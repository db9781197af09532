"""Which of a student's formulas are set: those whose every name is on a list of harmless ones.

MathJax, which sets formulas in the formgrader, can do more than that: give elements styles and links, load addresses
and extensions, define names that stand for a million letters. So the page tells it to leave alone whatever a student
wrote (`LEFT_ALONE`), and a formula that was read here is an exception (`SET`). If MathJax found another formula in
that, its names would still be harmless ones. Everything else is shown as it was typed.
"""

from __future__ import annotations

import html
import re

#: Classes of elements in which MathJax looks for no formulas, and of those within them in which it does.
LEFT_ALONE, SET = "tex2jax_ignore", "tex2jax_process"
#: Formulas of a page and their characters together; characters of one, and groups in one another. Each that MathJax
#: cannot read has the paragraph, or table, around it laid out once more.
MAX_FORMULAS, MAX_CHARACTERS, MAX_LENGTH, MAX_DEPTH = 150, 12_000, 1_000, 12
#: Boxes on lines that take a browser as long as to lay that out once more for each formula (`boxes.py`): 4 seconds.
MAX_ANEW = 4_000_000
#: Different letters of a page's formulas that MathJax's own fonts may not have, so that it has the page laid out to see
#: how wide each is; and all such letters within `\text{}`, where that takes less.
MAX_MEASURED, MAX_WORDS = 60, 2_000
#: Of one formula: cells of a table, rows, and signs that grow to the height of what is beside them.
MAX_CELLS, MAX_ROWS, MAX_MIDDLES = 150, 40, 10

_SYMBOLS = """
aleph alpha amalg And angle approx approxeq Arrowvert arrowvert ast asymp backepsilon backprime backsim backsimeq
backslash barwedge Bbbk because beta beth between bigcap bigcirc bigcup bigodot bigoplus bigotimes bigsqcup bigstar
bigtriangledown bigtriangleup biguplus bigvee bigwedge blacklozenge blacksquare blacktriangle blacktriangledown
blacktriangleleft blacktriangleright bot bowtie Box boxdot boxminus boxplus boxtimes bracevert bullet Bumpeq bumpeq
Cap cap cdot cdotp cdots centerdot checkmark chi circ circeq circlearrowleft circlearrowright circledast circledcirc
circleddash circledR circledS clubsuit colon complement cong coprod Cup cup curlyeqprec curlyeqsucc curlyvee
curlywedge curvearrowleft curvearrowright dagger daleth dashleftarrow dashrightarrow dashv ddagger ddots Delta delta
diagdown diagup Diamond diamond diamondsuit digamma div divideontimes Doteq doteq doteqdot dotplus dotsb dotsc dotsi
dotsm dotso doublebarwedge doublecap doublecup Downarrow downarrow downdownarrows downharpoonleft downharpoonright ell
emptyset epsilon eqcirc eqsim eqslantgtr eqslantless equiv eta eth exists fallingdotseq Finv flat forall frown Game
Gamma gamma ge geq geqq geqslant gets gg ggg gggtr gimel gnapprox gneq gneqq gnsim gt gtrapprox gtrdot gtreqless
gtreqqless gtrless gtrsim gvertneqq hbar heartsuit hookleftarrow hookrightarrow hslash iff iiint iint Im imath
impliedby implies in infty int intercal intop iota jmath Join kappa Lambda lambda land langle lbrace lbrack lceil
ldotp ldots le leadsto Leftarrow leftarrow leftarrowtail leftharpoondown leftharpoonup leftleftarrows Leftrightarrow
leftrightarrow leftrightarrows leftrightharpoons leftrightsquigarrow leftthreetimes leq leqq leqslant lessapprox
lessdot lesseqgtr lesseqqgtr lessgtr lesssim lfloor lgroup lhd ll Lleftarrow lll llless lmoustache lnapprox lneq lneqq
lnot lnsim Longleftarrow longleftarrow Longleftrightarrow longleftrightarrow longmapsto Longrightarrow longrightarrow
looparrowleft looparrowright lor lozenge Lsh lt ltimes lVert lvert lvertneqq maltese mapsto measuredangle mho mid
models mp mu multimap nabla natural ncong ne nearrow neg neq nexists ngeq ngeqq ngeqslant ngtr ni nLeftarrow
nleftarrow nLeftrightarrow nleftrightarrow nleq nleqq nleqslant nless nmid notag notin nparallel nprec npreceq
nRightarrow nrightarrow nshortmid nshortparallel nsim nsubseteq nsubseteqq nsucc nsucceq nsupseteq nsupseteqq
ntriangleleft ntrianglelefteq ntriangleright ntrianglerighteq nu nVDash nVdash nvDash nvdash nwarrow odot oint Omega
omega omicron ominus oplus oslash otimes owns parallel partial perp Phi phi Pi pi pitchfork pm prec precapprox
preccurlyeq preceq precnapprox precneqq precnsim precsim prime prod propto Psi psi rangle rbrace rbrack rceil Re
restriction rfloor rgroup rhd rho Rightarrow rightarrow rightarrowtail rightharpoondown rightharpoonup rightleftarrows
rightleftharpoons rightrightarrows rightsquigarrow rightthreetimes risingdotseq rmoustache Rrightarrow Rsh rtimes
rVert rvert S searrow setminus sharp shortmid shortparallel Sigma sigma sim simeq smallfrown smallint smallsetminus
smallsmile smile spadesuit sphericalangle sqcap sqcup sqsubset sqsubseteq sqsupset sqsupseteq square star Subset
subset subseteq subseteqq subsetneq subsetneqq succ succapprox succcurlyeq succeq succnapprox succneqq succnsim
succsim sum Supset supset supseteq supseteqq supsetneq supsetneqq surd swarrow tau therefore Theta theta thickapprox
thicksim times to top triangle triangledown triangleleft trianglelefteq triangleq triangleright trianglerighteq
twoheadleftarrow twoheadrightarrow unlhd unrhd Uparrow uparrow Updownarrow updownarrow upharpoonleft upharpoonright
uplus Upsilon upsilon upuparrows varDelta varepsilon varGamma varkappa varLambda varnothing varOmega varPhi varphi
varPi varpi varpropto varPsi varrho varSigma varsigma varsubsetneq varsubsetneqq varsupsetneq varsupsetneqq varTheta
vartheta vartriangle vartriangleleft vartriangleright varUpsilon varXi Vdash vDash vdash vdots vee veebar Vert vert
Vvdash wedge wp wr Xi xi yen zeta
"""
_LETTERS = """
acute bar bf Bbb boldsymbol breve cal check ddddot dddot ddot dot frak grave hat it mathbb mathbf mathcal mathfrak
mathit mathring mathrm mathscr mathsf mathtt mbox mit oldstyle operatorname overbrace overleftarrow overleftrightarrow
overline overparen overrightarrow rm scr sf text textbf textit textrm textsf texttt tilde tt underbrace
underleftarrow underleftrightarrow underline underparen underrightarrow vec widehat widetilde
"""
_FUNCTIONS = """
arccos arcsin arctan arg bmod cos cosh cot coth csc deg det dim exp gcd hom inf injlim ker lg lim liminf limsup ln log
max min mod pmod pod Pr projlim sec sin sinh sup tan tanh varinjlim varliminf varlimsup varprojlim
"""
_STRUCTURE = """
atop begin Big Bigg Biggl Biggm Biggr Bigl Bigm Bigr big bigg biggl biggm biggr bigl bigm bigr binom boxed brace brack
cfrac choose cr dbinom dfrac displaystyle end fbox frac hdashline hline hspace idotsint iiiint left limits mathbin
mathclose mathinner mathop mathopen mathord mathpunct mathrel middle newline nolimits nonumber not notag over overset
right scriptscriptstyle scriptstyle sqrt stackrel strut mathstrut substack tag tbinom textstyle tfrac underset
xleftarrow xrightarrow
"""
_SPACES = "enspace negmedspace negthickspace negthinspace nobreakspace qquad quad space thinspace dots"
#: Names that only set something. Whoever adds one has to know what MathJax does with its arguments.
NAMES = frozenset(" ".join((_SYMBOLS, _LETTERS, _FUNCTIONS, _STRUCTURE, _SPACES)).split())
#: What may follow a backslash otherwise.
_SIGNS = frozenset(",;:!> {}|\\$%&#_()[]\n")
_ENVIRONMENTS = """
align align* aligned array Bmatrix bmatrix cases eqnarray eqnarray* equation equation* gather gather* gathered matrix
multline multline* pmatrix smallmatrix split subarray Vmatrix vmatrix
"""
ENVIRONMENTS = frozenset(_ENVIRONMENTS.split())
#: As MathJax reads: a name is of ASCII letters, and ends with them.
_NAME = re.compile(r"\\([A-Za-z]+|.|\Z)", re.DOTALL)
_ENVIRONMENT = re.compile(r"\{([A-Za-z]+\*?)\}")
_SPACE = re.compile(r"\*?\{-?[0-9]{0,2}(?:\.[0-9]{0,3})?(?:em|ex|pt|px|mm|cm|mu)\}")
_ROW_ENDS = re.compile(r"\\\\|\\(?:cr|newline)(?![A-Za-z])")
#: What MathJax takes for the distance to the next row, and what one may be.
_DISTANCE = re.compile(r"\s*\*?\s*\[")
_NEAR = re.compile(
    rf"{_DISTANCE.pattern}-?(?:[0-3]?[0-9](?:\.[0-9]{{1,3}})?(?:pt|px|mu)|[0-2]?(?:\.[0-9]{{1,3}}|(?<=[0-9]))(?:em|ex)"
    r"|[0-9](?:\.[0-9]{1,3})?mm|[01]?(?:\.[0-9]{1,3}|(?<=[0-9]))cm)\]"
)
#: A backslash behind another one ends a row, and then the letters behind it are no words.
_WORDS = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:text|mbox)\{([^{}$\\]*)\}")
_MEASURED = re.compile(r"[^\x00-\x7f]")
_MIDDLE = re.compile(r"\\middle(?![A-Za-z])")
#: Where a formula begins, and what it then ends with. A dollar behind a backslash begins none.
_BEGINS = re.compile(r"\$\$|\$|\\\(|\\\[|\\begin\{([A-Za-z]{1,20}\*?)\}|(?<!\\)\\++\$")
_END = r"(?P<end>{})|\\.|[{{}}]"
_ENDS = {
    start: re.compile(_END.format(re.escape(end)), re.DOTALL)
    for start, end in [("$", "$"), ("$$", "$$"), (r"\(", r"\)"), (r"\[", r"\]")]
    + [(rf"\begin{{{name}}}", rf"\end{{{name}}}") for name in ENVIRONMENTS]
}


def is_harmless(formula: str) -> bool:
    """Return whether a formula, with what it begins and ends with, does nothing but set letters and signs."""
    rows = _ROW_ENDS.split(formula)
    if len(formula) > MAX_LENGTH or len(rows) * (1 + max(row.count("&") for row in rows)) > MAX_CELLS:
        return False  # MathJax makes every row as long as the longest
    if len(rows) > MAX_ROWS or len(_MIDDLE.findall(formula)) > MAX_MIDDLES:
        return False
    if any(_DISTANCE.match(row) and not _NEAR.match(row) for row in rows[1:]):
        return False
    depth = deepest = 0
    for sign in re.finditer(r"\\(?:left(?![A-Za-z])|right(?![A-Za-z])|begin|end|.)|[{}]", formula, re.DOTALL):
        depth += sign[0] in ("{", r"\left", r"\begin")
        depth -= sign[0] in ("}", r"\right", r"\end")
        deepest = max(deepest, depth)
    return deepest <= MAX_DEPTH and all(_is_harmless_name(name, formula) for name in _NAME.finditer(formula))


def _is_harmless_name(name: re.Match[str], formula: str) -> bool:
    if name[1] in ("begin", "end"):
        environment = _ENVIRONMENT.match(formula, name.end())
        return environment is not None and environment[1] in ENVIRONMENTS
    if name[1] == "hspace":
        return _SPACE.match(formula, name.end()) is not None
    return name[1] in NAMES or name[1] in _SIGNS


class Formulas:
    """The formulas of one page, which MathJax gets no more of than it can set in time."""

    def __init__(self) -> None:
        self._begun, self._characters = MAX_FORMULAS, MAX_CHARACTERS
        self._measured, self._words, self._anew = set[str](), MAX_WORDS, MAX_ANEW
        #: Whether some were left as typed because there were too many.
        self.too_many = False

    def marked(self, text: str, anew: int = 0) -> str:
        """Return a text as HTML in which harmless formulas are marked to be set.

        Args:
            text: Plain text, as it stands in one element without another in between.
            anew: What it takes to lay out once more what the text is laid out with.
        """
        parts, place, search = [], 0, 0
        while begins := _BEGINS.search(text, search):
            search = begins.end()
            if begins[0] not in _ENDS:  # an escaped dollar, or an environment that is none
                continue
            if self._begun <= 0:  # also those that are not set: each has to be read up to its end
                self.too_many = True
                break
            self._begun -= 1
            formula = _formula(text, begins)
            if formula is None or not is_harmless(formula):
                search = begins.end() if formula is None else begins.start() + len(formula)
                continue
            measured = self._measured.union(_MEASURED.findall(_WORDS.sub(r"\1", formula)))
            words = sum(len(_MEASURED.findall(word)) for _, word in _WORDS.findall(formula))
            is_long = len(formula) > self._characters or anew > self._anew
            if is_long or len(measured) > MAX_MEASURED or words > self._words:
                self.too_many = True
                break
            self._characters, self._words = self._characters - len(formula), self._words - words
            self._measured, self._anew = measured, self._anew - anew
            search = begins.start() + len(formula)
            parts.append(html.escape(text[place : begins.start()], quote=False))
            parts.append(f'<span class="{SET}">{html.escape(formula, quote=False)}</span>')
            place = search
        return "".join([*parts, html.escape(text[place:], quote=False)])


def _formula(text: str, begins: re.Match[str]) -> str | None:
    """Return the formula that begins somewhere, or None if it does not end in bounds; groups hide an end."""
    depth = 0
    for found in _ENDS[begins[0]].finditer(text, begins.end(), begins.start() + MAX_LENGTH):
        if found["end"] and depth == 0:
            return text[begins.start() : found.end()]
        depth = max(depth + (found[0] == "{") - (found[0] == "}"), 0)
    return None
