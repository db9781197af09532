"""Words of an answer that Markdown takes for an address, a definition or the language of code are on the page."""

import time

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell

from grader.feedback.formulas import Formulas
from grader.feedback.in_session import harmless
from grader.feedback.sanitise import student_markdown
from tests.unit.test_feedback import PNG

SENTENCE = "注意力机制让解码器每一步都能看到整个输入序列，因此不会丢失信息。"
#: What was typed, and what there was to be seen of it: nothing, or a part.
TYPED = [
    f"[答案]: {SENTENCE}",
    "[Answer]: Yes",
    "[a]: 0.25",
    "[T]: 42 (words in title)",
    "[x]: softmax 'because it sums to 1'",
    '[T]: True "because"',
    "[Q]: <the answer is this>",
    "[**Q**]: theanswer",
    "[Q]: $QK^T$",
    "[Q]: attachment:lost.png",
    "[1]: https://example.org/paper",
    "[^1]: note",
    "[x]: javascript:alert(1)",
    "The context is c[i](t).",
    "weights of shape [B,T](batch,time)",
    "[query](查询)与[key](键)的点积",
    "f[i]() is called",
    "Source: [paper](arxiv.org/abs/1409.0473)",
    "Source: [paper](www.example.org)",
    "[file](../data.csv)",
    "[a](ftp://example.org/y)",
    '[a](b "title words")',
    "[a](http://) and [b](http://[)",
    "[sum](Σ_j·α_ij·h_j)",
    "[x](javascript:alert(1))",
    "[half](50%ä)",
    "The weights[i](#t) sum to one.",
    "[答案](#因为注意力机制)",
    "[a]: #because",
]
#: What holds several of them, and the texts of its blocks.
BLOCKS = {
    "[Q]: query\n[K]: key\n[V]: value": ["[Q]: query", "[K]: key", "[V]: value"],
    "[Q]: query\nand so on": ["[Q]: query", "and so on"],
    "words\n\n[Q]: y\n\n[Q]: z": ["words", "[Q]: y", "[Q]: z"],
    "[Q] is x\n\n[Q]: y": ["[Q] is x", "[Q]: y"],
    "[][] [] x\n\n[Q]: y": ["[][] [] x", "[Q]: y"],
    "[a]: #because\n\n[a]": ["[a]: #because", "[a]"],
    "a[^1]\n\n[^1]: note": ["a[^1]", "[^1]: note"],
    "[Q]: y\n[1]: https://example.org\n\n[1]": ["[Q]: y", "1"],
    "[1]: https://example.org\n[2]: https://example.org\n\n[2]": ["[1]: https://example.org", "2"],
    "[1]: https://example.org\n[1]: https://example.org/b\n\n[1]": ["[1]: https://example.org/b", "1"],
}
FENCES = {
    "```The weights sum to one because of softmax\nso the context is an average\n```": (
        "The weights sum to one because of softmax\nso the context is an average\n"
    ),
    "```The answer is attention\n```": "The answer is attention\n",
    "```text the first line\nrest\n```": "text the first line\nrest\n",
    "```c is the context vector\n```": "c is the context vector",
    "~~~ because x\ny\n~~~": "because x\ny\n",
    "```mermaids sing\ny\n```": "mermaids sing\ny\n",
    "```mermaidsays\ny\n```": "mermaidsays\ny\n",
    "```mermaid\nA-->|x<y| B<end>\n```": "A-->|x<y| B<end>\n",
    "```python\nif a: b\n```": "if a: b\n",
    "```because\ny\n```": "because\ny\n",
    "```\ny\n```": "y\n",
    "    y": "y",
}


def seen(markup):
    return BeautifulSoup(markup, "html.parser").get_text()


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("before", ["", "> ", "- ", "1. ", "term\n: "])
def test_what_is_no_link_is_shown_as_it_was_typed(typed, before):
    for shown in (student_markdown(f"{before}{typed}"), student_markdown(new_markdown_cell(f"{before}{typed}"))):
        assert seen(shown).strip().removeprefix("term\n").strip() == typed
        assert typed in seen(harmless(shown, Formulas()))


@pytest.mark.parametrize(("typed", "blocks"), BLOCKS.items())
def test_each_definition_that_serves_nothing_is_a_line_of_its_own(typed, blocks):
    page = BeautifulSoup(student_markdown(typed), "html.parser")
    assert [block.get_text() for block in page.find_all("p")] == blocks


@pytest.mark.parametrize(("typed", "shown"), FENCES.items())
def test_words_beside_a_fence_are_shown(typed, shown):
    assert seen(student_markdown(typed)).replace("\n\n", "\n").strip() == shown.strip()


def test_code_keeps_its_colours():
    plain, more = (student_markdown(f"```python{words}\nif a: b\n```") for words in ("", " title=x"))
    assert '<span class="k">if</span>' in plain
    assert more == f"<pre>python title=x</pre>\n{plain}"


def test_the_languages_that_have_colours_are_few():
    """A lexer made for an editor may take the square or the cube of what it reads; these go through it once."""
    for language, key in (("Python", "k"), ("py", "k"), ("pycon", "k"), ("ipython3", "k"), ("json", "kc")):
        assert f'<span class="{key}">' in student_markdown(f"```{language}\nNone, null if\n```")
    assert student_markdown("```text\n<b> a\n```") == "<pre><code>&lt;b&gt; a\n</code></pre>\n"
    for language in ("bash", "css", "latex", "easytrieve", "html"):
        assert (
            student_markdown(f"```{language}\na <b> 1\n```") == f"<pre><code>{language}\na &lt;b&gt; 1\n</code></pre>\n"
        )


SLOW = {
    "easytrieve": "\t" * 1_500,
    "xpp": "a\n" * 1_500,
    "css": "{" + "_" * 12_000,
    "console": "a:" * 6_000,
    "python": " \n\t\n" * 3_000,
    "json": '{"a":' * 2_000,
}


@pytest.mark.parametrize(("language", "code"), SLOW.items())
def test_code_is_shown_in_a_time_that_its_length_decides(language, code):
    """A lexer took 7 seconds for 2,000 tabs, and eight times as long for twice as many."""
    begins = time.process_time()
    shown = student_markdown(f"```{language}\nx{code}x\n```")
    assert time.process_time() - begins < 0.5
    assert f"x{code}x" in seen(shown)


@pytest.mark.parametrize("link", ["[paper][1]", "[1][]", "[1]", "[p *q*][1]"])
@pytest.mark.parametrize("title", ["", ' "title"'])
def test_definitions_that_are_used_are_links(link, title):
    for text in (
        f"See {link}.\n\n[1]: https://example.org/a{title}",
        f"[1]: https://example.org/a{title}\n\nSee {link}.",
    ):
        page = BeautifulSoup(student_markdown(text), "html.parser")
        assert page.find("a", href="https://example.org/a").get_text() in ("paper", "1", "p q")
        assert page.get_text().strip() in ("See paper.", "See 1.", "See p q.")
    nested = BeautifulSoup(
        student_markdown(f"> - [1]: https://example.org/b\n\n| a |\n|---|\n| {link} |"), "html.parser"
    )
    assert nested.td.a["href"] == "https://example.org/b"


def test_definitions_of_pictures_are_pictures():
    cell = new_markdown_cell("![sketch][s]\n\n[s]: attachment:a.png", attachments={"a.png": {"image/png": PNG}})
    assert student_markdown(cell) == f'<p><img src="data:image/png;base64,{PNG}" alt="sketch"></p>\n'
    held = f"![image][image1]\n\n[image1]: <data:image/png;base64,{PNG}>"
    assert f'src="data:image/png;base64,{PNG}"' in student_markdown(held)
    lost = student_markdown("![sketch][s]\n\n[s]: attachment:lost.png")
    assert seen(lost) == "![sketch][s]\n[s]: attachment:lost.png\n"


@pytest.mark.parametrize("text", ["<https://example.org/a>", "https://example.org/a", "<me@example.org>"])
def test_addresses_stay_links(text):
    page = BeautifulSoup(student_markdown(text), "html.parser")
    assert page.a.get_text() == page.get_text().strip() == text.strip("<>")


@pytest.mark.parametrize(
    "typed",
    [
        "[x](<&lt;img/src=x/onerror=alert(1)&gt;>)",
        "[x](%3Cimg/src=x/onerror=alert(1)%3E)",
        '[x](a"onclick=alert(1)//)',
        "[x](a '<script>alert(1)</script>')",
        "[x]: <img/src=x/onerror=alert(1)>",
        "[x]: <script>alert(1)</script>",
        "[x]: a '<img src=x onerror=alert(1)>'",
        "[x]: </div></pre><style>*{color:red}</style>",
        "```html <img src=x onerror=alert(1)>\n<script>alert(1)</script>\n```",
        "```mermaid\n</pre><img src=x onerror=alert(1)>\n```",
        "```x <script>alert(1)</script>\n```",
    ],
)
def test_what_was_typed_is_text(typed):
    page = BeautifulSoup(student_markdown(typed), "html.parser")
    assert {tag.name for tag in page.find_all()} <= {"p", "pre", "code", "div", "span"}
    assert {name for tag in page.find_all() for name in tag.attrs} <= {"class"}


@pytest.mark.parametrize("typed", ["[x](\u202ecba)", "[x](%E2%80%AEcba)", "[Q]: \u202ecba", "``` a \u202ecba\nx\n```"])
def test_marks_of_direction_turn_nothing(typed):
    assert "\u202e" not in student_markdown(typed)
    assert "cba" in seen(student_markdown(typed))


def test_an_address_that_many_links_ask_for_is_not_shown_at_length():
    letters = "A" * 15_000
    for target, kept in ((f"data:image/png;base64,{letters}", 40_000), (f"x{letters}", 20_000)):
        text = f"[1]: {target}\n\n" + "[1] " * 350
        assert len(seen(student_markdown(text))) < kept


def test_many_of_them_take_no_time():
    for line in ("[{}]: b\n", "[{}](b) ", "[{0}]: https://example.org/\n[{0}]\n\n"):
        text = "".join(line.format(n) for n in range(199))
        begins = time.process_time()
        assert seen(student_markdown(text)).count("198") >= 1
        assert time.process_time() - begins < 2
