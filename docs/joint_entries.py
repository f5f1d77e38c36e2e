"""For the API pages: an entry for several names, ``a, b: What they are.``, becomes one for each.

Google's sections know one name an entry; in the source, names with one meaning share a line.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["JointEntries"]

_SECTION = re.compile(r"( *)(Args|Attributes):")
_JOINT = re.compile(r"( *)([*\w]+(?:, [*\w]+)+)( \(.*?\))?:")


class JointEntries(griffe.Extension):
    """Rewrites docstrings before they are parsed."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Split the joint entries of an object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = split_entries(obj.docstring.value)


def split_entries(text: str) -> str:
    """The docstring with an entry for every name.

    Examples:
        >>> print(split_entries("Args:\\n    a, b: Nodes.\\n        Live.\\n    c: More."))
        Args:
            a: Nodes.
                Live.
            b: Nodes.
                Live.
            c: More.
    """
    lines = text.split("\n")
    out: list[str] = []
    inside = None  # the indentation of a section's title
    while lines:
        line = lines.pop(0)
        indent = len(line) - len(line.lstrip())
        if title := _SECTION.fullmatch(line):
            inside = len(title[1])
        elif line.strip() and inside is not None and indent <= inside:
            inside = None
        joint = _JOINT.match(line) if inside is not None else None
        if joint is None or len(joint[1]) != (inside or 0) + 4:
            out.append(line)
            continue
        more: list[str] = []
        while lines and lines[0].strip() and len(lines[0]) - len(lines[0].lstrip()) > indent:
            more.append(lines.pop(0))
        rest = line[joint.end() :]
        for name in joint[2].split(", "):
            out += [f"{joint[1]}{name}{joint[3] or ''}:{rest}", *more]
    return "\n".join(out)
