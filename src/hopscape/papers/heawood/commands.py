"""Commands around folded and expanded networks: the best base, the Heawood study."""

from __future__ import annotations

from typing import Annotated

from hopscape.cli.options import FolderOption, ForceOption, ResumeOption, option
from hopscape.cli.output import emit_rows, write_tables
from hopscape.core.errors import ArgumentError
from hopscape.core.files import whole_folder

__all__ = ["search_bases", "study_heawood"]


def search_bases(
    degree: Annotated[int, option("Maximum ports per node.")] = 6,
    bits: Annotated[int, option("At least 2^bits nodes.")] = 20,
    top: Annotated[int, option("Number of rows to show.", min=1)] = 20,
) -> None:
    """Rank small symmetric graphs as bases and lamps by cost per bit."""
    from hopscape.papers.heawood.bases import rank_bases

    rows = [candidate.to_dict() for candidate in rank_bases(degree, bits)[:top]]
    emit_rows(rows, title=f"degree up to {degree}, at least 2^{bits} nodes")


def study_heawood(
    out: FolderOption,
    picture: Annotated[str, option("svg, png or pdf.")] = "svg",
    resume: ResumeOption = None,
    force: ForceOption = False,
) -> None:
    """Check folded and expanded networks against the paper: table 1, figures 5 and 6."""
    from hopscape.papers.heawood.study import draw_figures, study_tables
    from hopscape.store import Store

    if picture not in ("svg", "png", "pdf"):
        raise ArgumentError(f"picture is {picture!r}; choose svg, png or pdf")
    with whole_folder(out, force=force) as folder:
        with Store(resume) as store:
            tables = write_tables(study_tables(store), folder)
        draw_figures(tables, folder, picture)
    emit_rows(tables["table1"], title=f"Table 1, printed and true (all in {out})")
