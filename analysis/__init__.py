"""What results mean: simulations, comparisons and the statistics behind them."""

from analysis.comparisons import PairedCounts, PairedResult, paired_verdict
from analysis.histogram import Histogram
from analysis.matches import Comparison, compare
from analysis.simulation import Results, simulate

__all__ = [
    "Comparison",
    "Histogram",
    "PairedCounts",
    "PairedResult",
    "Results",
    "compare",
    "paired_verdict",
    "simulate",
]
