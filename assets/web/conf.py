"""Sphinx' settings for the web edition; `grader publish --site` adds the course's title, the language and the files."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

extensions = ["myst_parser", "course_pages", "line_breaks"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_math_renderer = "mathml"
html_permalinks_icon = "#"
html_copy_source = html_show_copyright = html_show_sphinx = html_use_index = html_domain_indices = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "course_pages.anchor"
myst_update_mathjax = False
html_show_search_summary = False  # from disk a page may not read another one
suppress_warnings = ["myst.header"]  # a notebook may go from its title to an exercise
