"""The statistics of games that were played before: tidy frames in, answers out.

A frame has one row a game and seat, as `Results.table` and stores have it, or as another program wrote it: columns
`strategy`, `deal` (the block) and `score`. Others are not looked at. Frames are Polars or pandas frames.
"""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.comparisons import PairedCounts, PairedResult, paired_verdict
from analysis.frames import check_filled, to_polars
from analysis.histogram import Histogram
from analysis.simultaneous import Moments, probability_best, rank_intervals, simultaneous_intervals
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("strategy", "deal", "score")


def block_sums(frame: "pl.DataFrame | pd.DataFrame") -> tuple[list[str], NDArray[np.int64], int]:
    """Add up the scores of every strategy on every deal.

    Parameters
    ----------
    frame
        See the module; strategies come in the order of their first row.

    Returns
    -------
    names, sums, scale
        The strategies; the block sums, shape (deals, strategies), deals ascending; and the games of a strategy in a
        block.

    Raises
    ------
    UsageError
        When a column or a value is missing, there are no rows, scores are not integers, or the strategies were not all
        played equally often on all deals: without common deals there are no blocks.
    """
    rows = to_polars(frame, "the frame", row="game and seat", columns=COLUMNS)
    check_filled(rows, COLUMNS, "the frame")
    if not rows["score"].dtype.is_integer():
        raise UsageError(f"the scores are of type {rows['score'].dtype}; give integers")
    names = [str(name) for name in rows["strategy"].unique(maintain_order=True)]
    by_block = rows.group_by(pl.col("strategy").cast(pl.String), "deal")
    summed = by_block.agg(pl.col("score").cast(pl.Int64).sum(), pl.len())
    scales = summed["len"].unique().to_list()
    if len(scales) > 1 or len(summed) != len(names) * rows["deal"].n_unique():
        raise UsageError(
            "the strategies were not played equally often on all deals; give the games of common deals only"
        )
    wide = summed.pivot("strategy", index="deal", values="score").sort("deal")
    return names, wide.select(names).to_numpy().astype(np.int64), int(scales[0])


def compare_played(
    frame: "pl.DataFrame | pd.DataFrame", a: str, b: str, *, margin: float = 0.0, confidence: float = 0.95
) -> PairedResult:
    """Compare two strategies over the deals that both have played.

    Parameters
    ----------
    frame
        See the module.
    a, b
        Two names of its `strategy` column; the effect is A's points a game minus B's.
    margin
        The difference in points a game that does not matter.
    confidence
        Of the interval and the verdict.

    Returns
    -------
    PairedResult

    Raises
    ------
    UsageError
        For a name that the frame does not have, and as `block_sums` and `paired_verdict` say.
    """
    names, sums, scale = block_sums(frame)
    for name in (a, b):
        if name not in names:
            raise UsageError(f"the frame has no strategy {name!r}; there are: {', '.join(names)}")
    first, second = sums[:, names.index(a)], sums[:, names.index(b)]
    difference, one, two = (Histogram.from_scores(values) for values in (first - second, first, second))
    return paired_verdict(PairedCounts(difference, one, two, scale), margin, confidence)


def rank_played(frame: "pl.DataFrame | pd.DataFrame", *, confidence: float = 0.95) -> pl.DataFrame:
    """Rank all strategies of a frame over their common deals.

    Parameters
    ----------
    frame
        See the module; two strategies or more.
    confidence
        Of the intervals and ranks, which hold for all strategies at once.

    Returns
    -------
    DataFrame
        One row a strategy, best first: `strategy`, `mean` with `low` and `high` (points a game), `rank` with `rank_low`
        and `rank_high` (the ranks that the data leave open), and `p_best`.

    Raises
    ------
    UsageError
        For fewer than two strategies, and as `block_sums` says.
    """
    names, sums, scale = block_sums(frame)
    if len(names) < 2:
        raise UsageError(f"a ranking needs two strategies or more, and the frame has {len(names)}")
    moments = Moments.from_scores(sums, scale)
    means = simultaneous_intervals(moments, "means", confidence)
    ranks = rank_intervals(simultaneous_intervals(moments, "all-pairs", confidence))
    best = probability_best(moments)
    rows = [
        {
            "strategy": name,
            "mean": mean.effect,
            "low": mean.low,
            "high": mean.high,
            "rank_low": span.best,
            "rank_high": span.worst,
            "p_best": chance,
        }
        for name, mean, span, chance in zip(names, means, ranks, best, strict=True)
    ]
    ordered = pl.DataFrame(rows).sort("mean", descending=True, maintain_order=True)
    return ordered.with_columns(rank=pl.col("mean").rank("min", descending=True).cast(pl.Int64)).select(
        "strategy", "mean", "low", "high", "rank", "rank_low", "rank_high", "p_best"
    )
