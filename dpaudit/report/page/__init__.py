"""One HTML file that shows a whole run, and needs nothing but itself."""

from dpaudit.report.page.document import lint_html, run_html

__all__ = ["lint_html", "run_html"]
