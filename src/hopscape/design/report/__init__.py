"""The report: one HTML file that needs nothing else, and the same in Markdown."""

from hopscape.design.report.floor import ReportPicture, pictures
from hopscape.design.report.markdown import markdown_report, markdown_table, ranking_markdown
from hopscape.design.report.page import html_report
from hopscape.design.report.text import winners

__all__ = [
    "ReportPicture",
    "html_report",
    "markdown_report",
    "markdown_table",
    "pictures",
    "ranking_markdown",
    "winners",
]
