"""The command line: parse, call, show. Nothing is computed here."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0: done, and what was checked holds; 1: a check failed; 2: the request was wrong.
    """
    from hopscape.cli.app import app
    from hopscape.core.errors import HopscapeError

    try:
        app(args=arguments, prog_name="hopscape")
    except HopscapeError as error:
        print(f"hopscape: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError:
        print("hopscape: out of memory; HOPSCAPE_MEMORY sets a lower limit", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("hopscape: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader (head, less) has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
