"""How Sphinx builds the site, for `make site`; what it reads is laid out by sources.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import sources

sources.write(Path(__file__).parents[2])

project = "chunkstudy"
project_copyright = "the chunkstudy authors"
root_doc = "index"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_static"]
bibtex_bibfiles = ["../../paper/refs.bib"]

nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # none is used; by default they come from a CDN
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_heading_anchors = 4

autodoc_default_options = {"members": True, "member-order": "bysource", "ignore-module-all": True}
suppress_warnings = ["ref.python"]  # names that several modules offer
autodoc_typehints = "description"
napoleon_numpy_docstring = False

html_theme = "pydata_sphinx_theme"
html_title = "chunkstudy"
html_static_path = [f"../../{sources.SOURCE}/_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "search_as_you_type": True,
}
