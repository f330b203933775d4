"""How Sphinx builds the site, for `make site`; what it reads is laid out by sources.py."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

import sources

ROOT = Path(__file__).parents[2]
sources.write(ROOT)

project = "chunkstudy"
project_copyright = "the chunkstudy authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
suppress_warnings = ["ref.python"]  # a name that several modules offer

nb_execution_mode = "off"
nb_render_markdown_format = "myst"  # the default knows no tables
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # none is used; by default they come from a CDN
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_heading_anchors = 4

add_module_names = False
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "ignore-module-all": True,
    "no-value": True,
}
autodoc_typehints = "description"
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = "chunkstudy"
html_static_path = [str(ROOT / sources.SOURCE / "_static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navbar_align": "left", "header_links_before_dropdown": 6, "footer_end": []}

SEARCH = 'button-field search-button__button pst-js-only"'
NAMED = {
    '<summary><span class="toctree': '<summary aria-label="pages below"><span class="toctree',
    '<summary aria-label="Toggle hidden content">': "<summary>",
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    f'{SEARCH} title="Search" aria-label="Search"': f'{SEARCH} aria-label="Search Ctrl+K"',
}
"""What theme and notebooks call a control, and a name that says what is seen on it."""


def setup(app: Sphinx) -> None:
    app.connect("build-finished", finish)
    app.add_lexer("mermaid", TextLexer)  # drawn on GitHub, shown as text here


def finish(app: Sphinx, error: Exception | None) -> None:
    """Give controls names that a screen reader can say, and lead links that stand in a notebook's
    output to the notebook's page."""
    for path in [] if error else app.outdir.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for old, new in NAMED.items():
            text = text.replace(old, new)
        text = re.sub(r'(href="(?:\w+/|\.\./)*\w+)\.ipynb(["#])', r"\1.html\2", text)
        path.write_text(text, encoding="utf-8")
