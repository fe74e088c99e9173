"""Configuration of Sphinx for the documentation site; `tools/site.py` runs it."""

import os
from pathlib import Path

from dpaudit import __version__

BUILD = Path(__file__).parents[1] / "build" / "site"

project = "dpaudit"
author = project_copyright = "The dpaudit authors"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
]
templates_path = [str(Path(__file__).parent / "_templates")]
pygments_style = "friendly"

# Markdown as a code host reads it: headings are anchors, $…$ is mathematics.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = os.environ.get("NOTEBOOKS", "force")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_ipywidgets_js = {}  # no notebook has widgets, whose scripts come from the network

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc states the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template lists them

html_theme = "pydata_sphinx_theme"
html_title = f"dpaudit {release}"
html_static_path = [str(BUILD / "static"), "_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = False
mathjax_path = "mathjax.js"  # a copy; nothing is loaded from the network
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
