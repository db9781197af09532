"""The pages of the web edition: what is in their source, and what must not be."""

import base64
import copy
import json
import re
import shutil
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_output
from web.course_pages import anchor

from grader.authoring.release import release
from grader.authoring.runs import digests, place
from grader.cli import main
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.publishing import site as module
from grader.publishing.facts import facts_of
from grader.publishing.folder import MANIFEST
from grader.publishing.site import publish_site, site_languages, site_sources
from grader.publishing.site_pages import make_page
from grader.publishing.site_words import LABELS, THEME, WORDS, with_labels

NB = "09_doubling"
#: One red pixel.
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
ENCODED = base64.b64encode(PNG).decode()
SHOWN = f'<img alt="A &quot;red&quot; dot" src="data:image/png;base64,{ENCODED}" width="40" style="max-width:100%">'
SECRET = "    return given_two * x\n"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Where the release is kept for the next test."""
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture
def ready(course, shelf, request, monkeypatch):
    """The small course, released; demonstration and self-check have outputs. It counts as up to date."""
    if not (shelf / "notebooks").exists():
        release(course, [NB])
        shutil.copytree(course.release, shelf / "notebooks")
    shutil.copytree(shelf / "notebooks", course.release, dirs_exist_ok=True)
    shutil.copytree(request.config.rootpath / "assets" / "web", course.web)
    monkeypatch.setattr(module, "out_of_date", lambda course, assignments: [])
    outputs(course, "demonstration", new_output("display_data", {"text/html": SHOWN, "text/plain": "a dot"}))
    outputs(course, "self-check", new_output("stream", name="stdout", text="all properties hold"))
    return course


def outputs(course, tag, *found):
    """Save outputs of the source's cells that have a tag."""
    nb = read_notebook(course.source(NB))
    for cell in nb.cells:
        if tag in cell.metadata.get("tags", []):
            cell.outputs = list(found)
    nbformat.write(nb, course.source(NB))


def page_of(course, colab=None):
    return make_page(read_notebook(course.released(NB)), read_notebook(course.source(NB)), NB, colab)


def test_a_page_has_the_exercise_and_the_released_answer_cell(ready):
    text = page_of(ready).text
    assert "### Exercise 9.1 - double (3 points)" in text
    assert ":class: answer\n" in text
    assert 'def double(x):\n    """Double a number."""' in text
    assert "raise NotImplementedError" in text
    assert "{admonition} Your answer" in text


def test_a_page_has_no_solution_no_hidden_test_and_no_answer(ready):
    text = page_of(ready).text
    for secret in ("return given_two * x", "double(-3)", '"aa"', "Because.", "BEGIN"):
        assert secret not in text


def test_tests_and_machinery_are_folded(ready):
    text = page_of(ready).text
    assert "{folded} Set-up\n" in text
    assert "{folded} Helper words.py: Words.\n:plain:\n" in text
    assert text.count("{folded} Test\n") == 2  # grader sync would title them
    assert text.count('<details class="machinery">') == text.count("</details>") == 1
    assert text.index("</details>") < text.index("given_two = 2")


def test_of_packed_data_a_page_shows_the_beginning(ready):
    nb = read_notebook(ready.released(NB))
    packed = "Nd7e+/" * 400
    for cell in nb.cells:
        if "helpers" in cell.metadata.get("tags", []):
            cell.source += f'\n_install("""\n{packed[:2000]}\n{packed[2000:]}==\n""")'
    text = make_page(nb, read_notebook(ready.source(NB)), NB, None).text
    assert f'_install("""\n{packed[:60]} ...\n""")' in text
    assert packed[:70] not in text


def test_a_demonstration_shows_the_sources_picture_and_a_self_check_shows_nothing(ready):
    page = page_of(ready)
    (path,) = page.files
    assert page.files[path] == PNG
    assert f'<img alt="A &quot;red&quot; dot" src="{path}" width="40" height="40" loading="lazy"' in page.text
    assert "base64" not in page.text
    assert "all properties hold" not in page.text


def test_outputs_stay_out_where_the_cell_is_another_one_in_the_source(ready):
    nb = read_notebook(ready.source(NB))
    for cell in nb.cells:
        if "demonstration" in cell.metadata.get("tags", []):
            cell.source += "\n### BEGIN SOLUTION\nprint(4)\n### END SOLUTION"
    nbformat.write(nb, ready.source(NB))
    assert page_of(ready).files == {}


def test_a_cell_that_makes_sliders_names_them_and_a_hand_in_shows_nothing(ready):
    release_, source = read_notebook(ready.released(NB)), read_notebook(ready.source(NB))
    shown = 'explore(draw, {"width <K>": (1, 9, 4), "head": (names, 0), "layer": (1, 2, 1)})'
    for nb in (release_, source):
        for cell in nb.cells:
            if "demonstration" in cell.metadata.get("tags", []):
                cell.source = shown
    text = make_page(release_, source, NB, None).text
    assert "In the notebook, width &lt;K&gt;, head and layer redraw this picture." in text
    assert SHOWN[:20] not in text
    shown = "hand_in(globals(), {})"
    for nb in (release_, source):
        for cell in nb.cells:
            if "demonstration" in cell.metadata.get("tags", []):
                cell.source = shown
    assert make_page(release_, source, NB, None).files == {}


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ('"位置": (1, 9, 4)', "可以用这个控件重画这张图：位置。"),
        ('"位置": (1, 9, 4), "头": (1, 2, 1)', "可以用这些控件重画这张图：位置、头。"),
    ],
)
def test_a_chinese_page_names_sliders_as_its_notebook_does(ready, labels, named):
    release_, source = read_notebook(ready.released(NB)), read_notebook(ready.source(NB))
    translated = copy.deepcopy(release_)
    shown = 'explore(draw, {"position": (1, 9, 4), "head": (1, 2, 1)})'
    for nb, text in ((release_, shown), (source, shown), (translated, f"explore(draw, {{{labels}}})")):
        for cell in nb.cells:
            if "demonstration" in cell.metadata.get("tags", []):
                cell.source = text
    assert named in make_page(release_, source, NB, None, language="zh_CN", translated=translated).text


def test_the_buttons(ready):
    assert "Colab" not in page_of(ready).text
    text = page_of(ready, "https://colab.example/x?a&b").text
    assert '<a class="button" href="https://colab.example/x?a&amp;b">Open in Colab</a>' in text
    assert f'<a class="button" href="notebooks/{NB}.ipynb" download>Download</a>' in text
    assert text.startswith("# 9. Doubling\n")


def test_the_sources_have_a_table_of_contents_and_the_notebooks_to_download(ready):
    sources = site_sources(ready)
    assert f"[9. Doubling]({NB}.md)" in sources["index.md"].decode()
    assert read_notebook(ready.released(NB)) == nbformat.reads(sources[f"notebooks/{NB}.ipynb"].decode(), 4)
    assert sum(name.endswith(".png") for name in sources) == 1


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_colab_is_named_where_its_button_is(ready, monkeypatch, language):
    assert "Colab" not in site_sources(ready, language)["index.md"].decode()
    monkeypatch.setattr(Course, "repository", lambda course, language="en": "uni/students")
    assert "Colab" in site_sources(ready, language)["index.md"].decode()


def test_what_a_notebook_says_about_itself(ready):
    nb = read_notebook(ready.released(NB))
    nb.cells[0].source = (
        "# 4. Heads\n\n[![Open in Colab](a.svg)](b)\n\n*Gave* has a\ngiver.\n\n"
        "*About 110 minutes, 82 of them for exercises · 6 exercises · 18 points, and 2 for a written answer*"
    )
    facts = facts_of(nb)
    assert (facts.title, facts.lead, facts.minutes, facts.points) == (
        "4. Heads",
        "*Gave* has a\ngiver.",
        "110",
        "18 + 2",
    )


def built(page):
    """Take Sphinx' place: one page."""
    return lambda course, sources, language: {"index.html": page.encode()}


def test_sphinx_is_not_taken_from_the_current_folder(ready, tmp_path, monkeypatch):
    (tmp_path / "sphinx.py").write_text("raise SystemExit('it ran')")
    monkeypatch.chdir(tmp_path)
    real = module.subprocess.run

    def run(command, **options):
        assert command[command.index("-m") + 1] == "sphinx"
        return real([*command[: command.index("-m")], "-m", "sphinx", "--version"], **options)

    monkeypatch.setattr(module.subprocess, "run", run)
    assert module._built(ready, {"index.md": b"# x"}, "en") == {}


def test_a_clean_site_is_written(ready, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_built", built("<p>Welcome</p>"))
    result = publish_site(ready, tmp_path / "out")
    assert result.refused == []
    assert set(result.written) == {"index.html", ".nojekyll", "en/index.html"}
    assert 'href="en/index.html"' in (tmp_path / "out" / "index.html").read_text()
    again = publish_site(ready, tmp_path / "out")
    assert (again.written, again.removed) == ([], [])


@pytest.mark.parametrize(
    "secret",
    [
        "return given_two * x",
        'assert double(-3) == -6, "it is not doubled for negative numbers"',
        "This squares instead of doubling.",
    ],
)
def test_nothing_is_written_where_an_output_prints_what_is_the_instructors(
    ready, tmp_path, monkeypatch, secret, capsys
):
    monkeypatch.setattr(module, "_built", built("<p>Welcome</p>"))
    outputs(ready, "demonstration", new_output("stream", name="stdout", text=f"look:\n    {secret}\n"))
    refused = publish_site(ready, tmp_path / "out").refused
    assert {leak.where for leak in refused} == {f"{NB}.md"}
    assert main(["--course", str(ready.root), "publish", "--site", str(tmp_path / "out")]) == 1
    assert "Nothing was written" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["text", "alternative text"])
def test_nothing_is_written_where_a_kept_run_prints_what_is_the_instructors(ready, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(module, "_built", built("<p>Welcome</p>"))
    secret = "return given_two * x"
    found = {
        "text": {"output_type": "stream", "name": "stdout", "text": f"look:\n    {secret}\n"},
        "alternative text": {"output_type": "display_data", "data": {"text/html": SHOWN.replace("A &quot;", secret)}},
    }[kind]
    made_from = digests(ready, NB, "zh_CN", read_notebook(ready.source(NB)))
    path = place(ready, "zh_CN", NB)
    path.parent.mkdir(parents=True)
    kept = {name: {"made_from": now, "outputs": [found]} for name, now in made_from.items()}
    path.write_text(json.dumps(kept))
    refused = publish_site(ready, tmp_path / "out", languages=("en", "zh_CN")).refused
    assert {leak.where for leak in refused} == {f"{NB}.md"}
    assert not (tmp_path / "out").exists()
    path.unlink()
    assert publish_site(ready, tmp_path / "out", languages=("en", "zh_CN")).refused == []


@pytest.mark.parametrize(
    "page",
    [
        "<pre>def double(x):\n    return given_two * x\n</pre>",
        '<pre><span class="k">return</span> <span>given_two</span> <span>*</span> <span>x</span></pre>',
        '<img alt="it is not doubled for negative numbers">',
        "<p>### BEGIN SOLUTION</p>",
    ],
)
def test_nothing_is_written_where_a_built_page_shows_what_is_the_instructors(ready, tmp_path, monkeypatch, page):
    monkeypatch.setattr(module, "_built", built(page))
    assert [leak.where for leak in publish_site(ready, tmp_path / "out").refused] == ["en/index.html"]
    assert not (tmp_path / "out").exists()


def test_a_part_of_a_released_line_is_no_leak_but_the_line_alone_is(ready, tmp_path, monkeypatch):
    """The release says `given_two * x` in its text; as a line of its own it still is the catalogue's."""
    nb = read_notebook(ready.released(NB))
    (ready.catalogue / NB / "double.py").write_text(
        "# %% wrong: one\n# says: This squares instead.\nmy_product_of(given_two, x)\n"
    )
    nb.cells[0].source += "\n\nTry to write `my_product_of(given_two, x)` by hand, and see."
    nbformat.write(nb, ready.released(NB))
    monkeypatch.setattr(module, "_built", built("<p>Try to write <code>my_product_of(given_two, x)</code> by hand</p>"))
    assert publish_site(ready, tmp_path / "out").refused == []
    monkeypatch.setattr(module, "_built", built("<pre>\nmy_product_of(given_two, x)\n</pre>"))
    assert publish_site(ready, tmp_path / "new").refused != []


def test_the_folder_may_be_neither_the_instructors_nor_somebody_elses(ready, tmp_path):
    with pytest.raises(GraderError, match="repository"):
        publish_site(ready, ready.root / "build" / "site")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear all")
    with pytest.raises(GraderError, match="did not make this folder"):
        publish_site(ready, tmp_path / "mine")


def test_a_folder_to_publish_into_has_to_be_named(ready, capsys):
    assert main(["--course", str(ready.root), "publish"]) == 2
    assert "no folder" in capsys.readouterr().err


def test_sphinx_makes_the_pages_of_the_small_course(ready, tmp_path):
    nb = read_notebook(ready.released(NB))
    nb.cells[0].source += "\n\nFrom $x$ to\n\n$$2x$$\n\nand [back](#9.-Doubling)."
    nb.cells[0].source += "\n\n<details><summary>Hint</summary>\n\n`2 * x`\n\n</details>"
    nbformat.write(nb, ready.released(NB))
    assert publish_site(ready, tmp_path / "out").refused == []
    page = (tmp_path / "out" / "en" / f"{NB}.html").read_text()
    assert page.count("<math") == 2
    assert '<details class="folded"><summary>Test</summary>' in page
    assert "NotImplementedError" in page
    assert (tmp_path / "out" / "en" / "notebooks" / f"{NB}.ipynb").is_file()
    assert "words" not in (tmp_path / "out" / "en" / "searchindex.js").read_text()  # helpers are not searched
    assert (tmp_path / "out" / MANIFEST).is_file()


def test_sphinx_makes_two_languages_one_after_the_other(ready, tmp_path):
    assert publish_site(ready, tmp_path / "out", languages=("en", "zh_CN")).refused == []
    page = (tmp_path / "out" / "zh_CN" / f"{NB}.html").read_text(encoding="utf-8")
    assert f'href="../en/{NB}.html"' in page
    assert f'href="../zh_CN/{NB}.html"' in (tmp_path / "out" / "en" / f"{NB}.html").read_text(encoding="utf-8")
    assert "\n<html" in page
    assert not (tmp_path / "out" / "en" / ".doctrees").exists()


def test_a_link_to_nowhere_is_an_error(ready, tmp_path):
    nb = read_notebook(ready.released(NB))
    nb.cells[0].source += "\n\n[there](#nowhere)"
    nbformat.write(nb, ready.released(NB))
    with pytest.raises(GraderError, match="nowhere"):
        publish_site(ready, tmp_path / "out")


def test_anchors_are_those_of_the_notebooks():
    assert anchor("0 A question") == "0-A-question"


def broken(ready, text, language="en"):
    """Return what Sphinx makes of a paragraph."""
    made = module._built(ready, {"index.md": f"# T\n\n{text}\n".encode(), "beside.txt": b""}, language)
    body = made["index.html"].decode()
    return re.search(r"</h1>\s*<p>(.*?)</p>", body, re.S)[1]


def test_a_line_does_not_end_between_a_formula_and_its_marks(ready):
    text = "Let $a$, ($b$): the $k$-th one（$c$）。 $d$ and `e` are *$f$*, $g$; $h$($i$)"
    made = re.sub(r"<math.*?<mi>(\w)</mi>.*?</math>", r"$\1", broken(ready, text))
    kept = re.findall(r'<span class="together">(.*?)</span>', made)
    assert kept == ["$a,", "($b):", "$k-", "（$c）。", "$g;", "($i)"]
    assert re.sub("<[^>]*>", "", made) == "Let $a, ($b): the $k-th one（$c）。 $d and e are $f, $g; $h($i)"


def test_short_code_is_kept_in_a_line_and_long_names_may_end_one_at_a_dot(ready):
    made = broken(ready, "`a b` and `a.b` and `keras.layers.AdditiveAttention` and `print(np.zeros(3)) # not a name`")
    assert re.findall(r"<code class=\"([^\"]*)\"", made) == [
        "short docutils literal notranslate",
        "short docutils literal notranslate",
        "docutils literal notranslate",
        "docutils literal notranslate",
    ]
    assert re.sub("</?(?!wbr)[^>]*>", "", made).split(" and ")[2] == "keras.<wbr>layers.<wbr>AdditiveAttention"
    assert made.count("<wbr>") == 2


def test_stressed_chinese_is_not_slanted(ready):
    made = broken(ready, "这 *很* 重要，*dog bites man* 是例句", "zh_CN")
    assert re.findall("<em.*?</em>", made) == ['<em class="upright">很</em>', "<em>dog bites man</em>"]
    assert broken(ready, "*约 5 分钟*", "zh_CN") == '<em class="upright whole">约 5 分钟</em>'


def test_a_page_in_another_language_has_its_text_and_the_same_pictures(ready):
    release_ = read_notebook(ready.released(NB))
    translated = copy.deepcopy(release_)
    translated.cells[0].source = "# 9. 加倍\n\n[上](#9.-加倍)"
    for cell in translated.cells:
        if "demonstration" in cell.metadata.get("tags", []):
            cell.source = "# 两个词\n" + cell.source
    source = read_notebook(ready.source(NB))
    page = make_page(release_, source, NB, None, language="zh_CN", translated=translated, others=("en",))
    assert page.text.startswith("# 9. 加倍\n")
    assert "[上](#9.-加倍)" in page.text
    assert "# 两个词\n" in page.text
    assert "{folded} 辅助代码 words.py\n" in page.text
    assert list(page.files.values()) == [PNG]
    assert f'<a class="button" lang="en" hreflang="en" href="../en/{NB}.html">English</a>' in page.text
    assert f'<a class="button" href="notebooks/{NB}.ipynb" download>下载</a>' in page.text


def test_the_site_has_the_languages_whose_translation_is_complete(ready, monkeypatch):
    monkeypatch.setattr(module, "languages_of", lambda course: ["de", "zh_CN"])
    monkeypatch.setattr(module, "names_of_catalogues", lambda course: ["frame", NB])
    behind = {NB}
    monkeypatch.setattr(module, "state", lambda course, one, name: SimpleNamespace(complete=name not in behind))
    assert site_languages(ready) == ("en",)
    assert site_languages(ready, incomplete=True) == ("en", "zh_CN")
    behind.clear()
    assert site_languages(ready) == ("en", "zh_CN")


def test_the_themes_own_words_are_in_the_pages_language(ready):
    text = "---\nhide-toc: false\n---\n# Eins\n\n## A\n\n## B\n\n```{toctree}\n:hidden:\n\ntwo\n```\n"
    pages = {"index.md": text.encode(), "two.md": b"# Zwei\n\n## A\n\n## B\n", "beside.txt": b""}
    built = module._built(ready, pages, "zh_CN")
    html = (built["index.html"] + built["two.html"]).decode()
    assert [said for said in THEME["zh_CN"].values() if said.strip() not in html] == []
    assert [word for word in THEME["zh_CN"] if f">{word.strip()}<" in html] == []
    assert not [name for name in built if "locales" in name or name.endswith((".po", ".mo"))]


def test_every_language_has_the_same_words():
    assert {frozenset(words) for words in WORDS.values()} == {frozenset(WORDS["en"])}


def test_a_screen_reader_hears_the_pages_language(ready):
    index = b"# Eins\n\n## A\n\n```{toctree}\n:hidden:\n\ntwo\n```\n"
    pages = {"index.md": index, "two.md": b"# Zwei\n\n## A\n\n## B\n", "beside.txt": b""}
    built = module._built(ready, pages, "zh_CN")
    html = "".join(data.decode() for name, data in built.items() if name.endswith(".html"))
    assert [said for said in LABELS["zh_CN"].values() if said not in html] == []
    named = re.findall(r'aria-label="([^"]*)"', html) + re.findall(r"<title>([^<]*)</title>", html)
    assert len(named) > 20
    assert [name for name in named if not re.search("[\u4e00-\u9fff]", name)] == []


def test_labels_are_put_where_labels_are_and_nowhere_else():
    page = '<title>Menu</title><b aria-label="Menu">Menu</b><a href="#x">Skip to content</a>'
    assert with_labels(page, "zh_CN") == '<title>菜单</title><b aria-label="菜单">Menu</b><a href="#x">跳到正文</a>'
    assert with_labels(page, "en") == page
