"""The report: one HTML file that needs nothing else, and the same in Markdown."""

from hopscape.design.report.floor import Picture, pictures
from hopscape.design.report.markdown import markdown_report, markdown_table, ranking_markdown
from hopscape.design.report.page import html_report
from hopscape.design.report.text import winners

__all__ = [
    "Picture",
    "html_report",
    "markdown_report",
    "markdown_table",
    "pictures",
    "ranking_markdown",
    "winners",
]
