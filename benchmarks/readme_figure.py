"""Draw the figure of the README and of the docs: what `make demo` plays, as the scores and as the paired difference."""

import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from analysis.matches import Comparison, compare
from reports.figures import house_style, paired_difference, render, score_distributions
from sims.errors import CrosslabError

FIGURE = Path(__file__).resolve().parent.parent / "docs" / "figures" / "comparison.svg"
GAME, PLAYERS, DEALS = "criss-cross", ("line-solver", "greedy"), 200_000
WIDTH, HEIGHT = 11.4, 4.2  # inches


def draw(comparison: Comparison) -> Figure:
    """Return both figures of a comparison side by side."""
    result = comparison.result
    with house_style():
        figure = Figure(figsize=(WIDTH, HEIGHT))
        scores, difference = figure.subplots(1, 2)
        for ax in (scores, difference):
            # Ticks are made when the figure is drawn, when other settings may hold.
            ax.tick_params(color=mpl.rcParams["xtick.color"], labelsize=mpl.rcParams["xtick.labelsize"])
    score_distributions(comparison.scores(), unit=comparison.unit, ax=scores)
    paired_difference(
        comparison.differences(),
        effect=result.effect,
        low=result.low,
        high=result.high,
        margin=result.margin,
        labels=(comparison.a, comparison.b),
        confidence=result.confidence,
        unit=comparison.unit,
        ax=difference,
    )
    return figure


def main(path: Path = FIGURE, deals: int = DEALS) -> int:
    """Play and draw; return the exit code."""
    try:
        comparison = compare(GAME, *PLAYERS, deals=deals)
        title = f"Scores of {comparison.a} and {comparison.b} on the same {deals:,} deals, and their differences"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render(draw(comparison), "svg", title=title))
    except (CrosslabError, OSError) as error:
        print(f"readme_figure: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
