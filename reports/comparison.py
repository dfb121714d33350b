"""The report of a comparison: one page that an editor can read, its figures, and the numbers behind them.

The page is a function of the comparison alone: the same comparison gives the same bytes, so it holds no date and no
run time.
"""

import errno
import inspect
import io
import json
import math
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

from analysis.comparisons import CONTROL_CONFIDENCE, FEWEST_BLOCKS, POWER, Control
from analysis.histogram import Histogram
from analysis.intervals import mean_interval
from analysis.matches import Comparison
from reports.figures import paired_difference, printable, render, score_distributions
from sims.design import Design, versions
from sims.errors import CrosslabError, StoreError, UsageError
from sims.game import Game
from sims.table import Player
from strategies import Strategy, find_strategy

PAGE = "index.html"
GENERATOR = '<meta name="generator" content="crosslab">'
"""Marks a page as ours: only a folder whose page has it is written to again."""

TEMPLATES = Path(__file__).with_name("templates")
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


def write_comparison(comparison: Comparison, folder: Path | str, *, command: str = "") -> Path:
    """Write the report of a comparison into a folder.

    Parameters
    ----------
    comparison
        What `analysis.compare` returned.
    folder
        Is made when it does not exist. Files of an earlier report in it are replaced, all others are left alone.
    command
        The command that made the comparison, for the page; without one the page shows the call in Python.

    Returns
    -------
    Path
        The page, `index.html`. Beside it stand `comparison.json`, and `scores` and `differences` as figures (`.svg`,
        `.png`) and as tables (`.csv`, `.parquet`).

    Raises
    ------
    UsageError
        When the folder is a file, or holds files of these names that are not from a report.
    StoreError
        When the files cannot be written: no permission, a full disk.
    """
    target = Path(folder)
    _check_folder(target)
    frames = {"scores": comparison.scores(), "differences": comparison.differences()}
    pictures = _figures(comparison)
    files = {PAGE: _page(comparison, command, pictures).encode()}
    files["comparison.json"] = f"{json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False)}\n".encode()
    for name, picture in pictures.items():
        files[f"{name}.svg"], files[f"{name}.png"] = picture.svg, picture.png
    for name, frame in frames.items():
        files[f"{name}.csv"] = frame.write_csv().encode()
        files[f"{name}.parquet"] = _parquet(frame)
    _check_strangers(target, files)
    publish(target, files)
    return target / PAGE


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


# --- Figures ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Picture:
    """A figure as files, and what it shows in words."""

    svg: bytes
    png: bytes
    words: str

    def inline(self, prefix: str) -> Markup:
        """Return the drawing for a page: without a title of its own, and with ids that no other drawing has."""
        text = self.svg.decode()
        text = text[text.index("<svg") :]
        text = re.sub(r"<!--.*?-->|<title>.*?</title>|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
        text = re.sub(r"\n\s*", "\n", text)
        label = Markup.escape(self.words)
        # The drawing's own size gives way to the page's.
        head, rest = text.split(">", 1)
        head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
        return Markup(f'{head} role="img" aria-label="{label}">{rest}')  # noqa: S704 - made by matplotlib, label escaped


def _figures(comparison: Comparison) -> dict[str, Picture]:
    """Draw the two figures; they show names, means and shares, so their words say these."""
    result, design = comparison.result, comparison.design
    first, second = _names(comparison)
    thin = result.blocks < FEWEST_BLOCKS
    scores = pl.concat(
        comparison.scores()
        .head(len(comparison.counts.a.to_dict()))
        .with_columns(strategy=pl.lit(first))
        .vstack(pl.DataFrame(schema={"strategy": pl.String, "score": pl.Float64, "count": pl.Int64}))
        for first in (first,)
    )
    return {}
