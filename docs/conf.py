"""Sphinx's settings: 'make docs' builds the manual from this folder."""

import sys
from pathlib import Path

project = "opmill"
author = "The opmill authors"
project_copyright = "The opmill authors"

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 0

_REFERENCE = Path(__file__).parent / "reference"
if _REFERENCE.is_dir():  # the manual of another package has none
    sys.path.insert(0, str(_REFERENCE))
    extensions.append("sources")

html_theme = "furo"
html_title = "opmill"
html_static_path = ["_static"]
html_favicon = "_static/opmill.svg"
html_css_files = ["opmill.css", "opmill-pages.css"]
html_js_files = ["opmill.js"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_logo = "_static/opmill.svg"
html_theme_options = {"navigation_with_keys": True}

# The prompts of interactive sessions, and what they print, are left out of what is copied.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True


def setup(app):
    """Share navigations, and delete pages of an earlier build whose sources are gone."""
    app.connect("html-page-context", _share_navigation, priority=400)  # before furo's
    app.connect("build-finished", _delete_stale)


_navigations = {}


def _share_navigation(app, pagename, templatename, context, doctree):
    """Compute the navigation of pages that it does not list once for each folder.

    Sphinx copies the contents of every listed page for it, which takes longer than all else.
    """
    navigation = context.get("toctree")
    if navigation is None or "orphan" not in (context.get("meta") or {}):
        return

    def shared(**options):
        key = (pagename.rpartition("/")[0], *sorted(options.items()))
        if key not in _navigations:
            _navigations[key] = navigation(**options)
        return _navigations[key]

    context["toctree"] = shared


def _delete_stale(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    made = {Path(app.builder.get_outfilename(name)) for name in app.env.found_docs}
    extra = {"genindex.html", "search.html"}
    for path in Path(app.outdir).rglob("*.html"):
        if path not in made and path.name not in extra and "_static" not in path.parts:
            path.unlink()
