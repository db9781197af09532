"""The words that the site itself adds to the notebooks, for each language that it can be built in."""

from __future__ import annotations

import re

#: Language to its words. Its keys are the languages that the site knows; the folders are named after them.
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "name": "English",
        "course": "Attention, from the bottleneck to the Transformer",
        "welcome": (
            "Read the course here, with all figures and results, before you run anything. To do the exercises, {open}. "
            "It is a single file that needs nothing beside it."
        ),
        "open_colab": "open a notebook in Google Colab or download it",
        "open_here": "download a notebook",
        "notebook": "Notebook",
        "about": "What it is about",
        "takes": "Time and points",
        "extent": "{minutes} minutes, <br>{points} points",
        "points_note": (
            "The first number counts the points of the automatic tests. The second is for a written answer, which a "
            "person reads."
        ),
        "colab": "Open in Colab",
        "download": "Download",
        "solved": (
            "What the cells show here comes from a run in which every exercise was solved. The exercises themselves "
            "are as you get them."
        ),
        "solved_in_english": (
            "What the cells show here comes from a run of the English edition in which every exercise was solved. The "
            "exercises themselves are as you get them."
        ),
        "in_english": "This output comes from a run of the English edition.",
        "setup": "Set-up",
        "helper": "Helper",
        "machinery": "The set-up cell and {count} helper cells",
        "test": "Test",
        "answer": "Your code",
        "written": "Your answer",
        "sliders": "In the notebook, {controls} redraw this picture.",
        "slider": "In the notebook, {controls} redraws this picture.",
        "comma": ", ",
        "and": " and ",
        "choose": "Choose what the picture shows",
    },
    "zh_CN": {
        "name": "简体中文",
        "course": "注意力：从瓶颈到 Transformer",
        "welcome": (
            "动手运行之前，可以先在这里通读整门课程，所有图和结果都在。"
            "要做练习，请{open}：每个笔记本只有一个文件，不需要其他任何文件。"
        ),
        "open_colab": "在 Google Colab 中打开笔记本，或者把它下载下来",
        "open_here": "把笔记本下载下来",
        "notebook": "笔记本",
        "about": "内容",
        "takes": "时间与分数",
        "extent": "{minutes} 分钟，<br>{points} 分",
        "points_note": "前一个数是自动测试的分数，后一个数是书面回答的分数，由人来批阅。",
        "colab": "在 Colab 中打开",
        "download": "下载",
        "solved": "页面上的输出和图来自一次完成了全部练习的运行，练习本身则与你拿到的一样。",
        "solved_in_english": "页面上的输出和图来自一次完成了全部练习的英文版运行，练习本身则与你拿到的一样。",
        "in_english": "上面的输出来自英文版的一次运行。",
        "setup": "环境设置",
        "helper": "辅助代码",
        "machinery": "环境设置单元格和 {count} 个辅助代码单元格",
        "test": "测试",
        "answer": "你的代码",
        "written": "你的回答",
        "sliders": "在笔记本中，可以用这些控件重画这张图：{controls}。",
        "slider": "在笔记本中，可以用这个控件重画这张图：{controls}。",
        "comma": "、",
        "and": "、",
        "choose": "选择图中显示的内容",
    },
}

#: Words of the theme's own that Sphinx translates and has no translation of, by language; it reads them as a catalogue.
THEME: dict[str, dict[str, str]] = {
    "zh_CN": {
        "Back to top": "回到顶部",
        "Home": "首页",
        "Made with ": "制作工具：",
        "Next": "下一页",
        "On this page": "本页内容",
        "Previous": "上一页",
    },
}


#: Words of the theme that it does not hand to Sphinx: names of buttons and signs, most of them for screen readers.
LABELS: dict[str, dict[str, str]] = {
    "zh_CN": {
        "Auto light/dark, in dark mode": "自动配色，当前为深色",
        "Auto light/dark, in light mode": "自动配色，当前为浅色",
        "Contents": "目录",
        "Dark mode": "深色模式",
        "Expand": "展开",
        "Light mode": "浅色模式",
        "Menu": "菜单",
        "Skip to content": "跳到正文",
        "Toggle Light / Dark / Auto color theme": "切换浅色、深色或自动配色",
        "Toggle site navigation sidebar": "打开或收起课程目录",
        "Toggle table of contents sidebar": "打开或收起本页目录",
    },
}
#: Where such words are: in a label, in the title of a sign, in the link that leads past the navigation.
_LABEL = re.compile(r'(?<=aria-label=")[^"]+(?=")|(?<=<title>)[^<]+(?=</title>)|(?<=>)[^<>]+(?=</a>)')


def with_labels(page: str, language: str) -> str:
    """Return a page with the theme's labels in its language."""
    known = LABELS.get(language, {})
    return _LABEL.sub(lambda found: known.get(found[0], found[0]), page) if known else page


def theme_catalogue(language: str) -> str:
    """Return the theme's words in a language, in the form of gettext."""
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    words = (f'\nmsgid "{word}"\nmsgstr "{said}"\n' for word, said in THEME.get(language, {}).items())
    return "".join([head, *words])
