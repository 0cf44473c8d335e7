"""Sphinx's configuration: `scripts/docs` builds the site."""

import logging
import os
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

own_extensions = str(Path(__file__).parent / "_ext")
sys.path.insert(0, own_extensions)
# The kernel in `_ext/kernels` runs the lessons. The usual one warns in each that its port is not encrypted.
os.environ["JUPYTER_PATH"] = own_extensions
logging.getLogger("traitlets").setLevel(logging.WARNING)  # otherwise there is a message for each lesson

project = "warmcb"
author = "The warmcb engineers"
version = release = installed_version("warmcb")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "numpy_types",
    "docstrings",
    "name_links",
    "public_names",
    "command_help",
    "lessons",
    "repository_links",
    "page_heads",
    "search_words",
]
copybutton_prompt_text = r">>> |\.\.\. "  # only what was typed is copied, without prompts
copybutton_prompt_is_regexp = True
smartquotes = False  # `--option` must stay as it is
toc_object_entries_show_parents = "hide"
templates_path = ["_templates"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "force"  # the numbers are those of the library as it is
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

default_role = "code"  # docstrings write `code` with single backticks, as Markdown does
strip_signature_backslash = True  # keeps the underscore of `lambda_`
autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "groupwise"
autodoc_default_options = {"members": True, "inherited-members": "tuple,BaseException,object"}
napoleon_use_ivar = True
napoleon_attr_annotations = False  # docstrings.py adds them, with short names
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!warmcb\.).*|warmcb\.(.*\.)?_.*|.*_co|.*DescribedScene")]  # not ours, or private

linkcheck_ignore = [r"http://127\.0\.0\.1.*", r"http://localhost.*"]

html_theme = "furo"
html_title = "warmcb"
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "https://warmcb.readthedocs.io/en/latest/")
html_favicon = "_static/icon.svg"
html_theme_options = {"top_of_page_buttons": ["edit"]}  # page_heads.py says where
html_static_path = ["_static"]
html_search_scorer = str(Path(__file__).parent / "_ext" / "search_scores.js")
html_css_files = ["custom.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
