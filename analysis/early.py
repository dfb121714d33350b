"""Compare until decided: look at a comparison while it runs, and stop as soon as the answer is clear.

Looks are at fixed numbers of blocks, and each look sees the contiguous prefix of deals up to it. So the stop is a
function of the design and the seed alone. The rules themselves are in `analysis.sequential`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.comparisons import PairedCounts
from analysis.frames import defined
from analysis.histogram import Histogram
from analysis.matches import Pairing, make_pairing
from analysis.sequential import (
    SequentialResult,
    SprtResult,
    StoppedEstimate,
    estimate_after_stop,
    looks,
    sequential_verdict,
    sprt,
)
from analysis.tables import wrapped
from sims.design import check_whole
from sims.game import Game, Rules
from strategies.api import Strategy

if TYPE_CHECKING:
    import pandas as pd

FIRST_LOOK = 1_024
LOOK_RATIO = 1.5
MOST_DEALS = 10_000_000
OPTIMISED_SHARE = 0.01
"""The confidence sequence is narrowest at this share of the last look: most comparisons are decided long before it."""


@dataclass(frozen=True, eq=False)
class EarlyComparison:
    """What `compare_until_decided` found.

    Attributes
    ----------
    a, b
        The specs of the two.
    pairing
        The table and the deals.
    looks
        Numbers of blocks at which the run could have stopped.
    counts
        The exact counts of the blocks up to the stop.
    result
        Where it stopped and with what verdict: by the confidence sequence, or by the sequential test.
    estimate
        The size of the difference, from fresh blocks after the stop.
    seconds, games
        How long it took, and the games that were played.
    """

    a: str
    b: str
    pairing: Pairing
    looks: tuple[int, ...]
    counts: PairedCounts
    result: SequentialResult | SprtResult
    estimate: StoppedEstimate
    seconds: float
    games: int

    def text(self) -> str:
        """Return what was found in words, at most 80 columns wide."""
        result, estimate, unit = self.result, self.estimate, self.pairing.unit
        facts = [
            ("A", self.a),
            ("B", self.b),
            ("stopped at", f"{result.blocks:,} blocks, look {result.look} of {len(self.looks)}"),
            ("effect (A - B)", f"{estimate.effect:.3f} {unit.a_game} (biased by stopping)"),
        ]
        if isinstance(result, SequentialResult):
            name = f"{100 * (1 - result.alpha):.10g} % sequence"
            facts.append((name, f"{result.low:.3f} to {result.high:.3f} (valid at every look)"))
            facts.append(("margin", f"{result.margin:.10g} {unit.a_game}"))
        else:
            facts.append(("tested", f"{result.low:.10g} against {result.high:.10g} {unit.a_game}"))
            facts.append(("log-likelihood ratio", f"{result.ratio:.2f}"))
        facts += [
            (
                "fresh estimate",
                f"{estimate.fresh_effect:.3f} {unit.a_game} ({100 * estimate.confidence:.10g} % interval "
                f"{estimate.low:.3f} to {estimate.high:.3f}, {estimate.fresh_blocks:,} blocks after the stop, "
                "unbiased)",
            ),
            ("verdict", result.verdict),
            ("seed", str(self.pairing.seed)),
            ("rules version", self.pairing.game.rules_version),
        ]
        lines = [wrapped(text, f"  {label:<22}", " " * 24) for label, text in facts]
        return "\n".join([wrapped(self._sentence()), "", *lines])

    def _sentence(self) -> str:
        result = self.result
        if result.verdict in ("better", "worse"):
            return f"{self.a} is {result.verdict} than {self.b}: decided after {result.blocks:,} blocks."
        if result.verdict == "equivalent":
            return f"{self.a} and {self.b} are equivalent: the difference is inside the margin."
        if result.verdict == "undecided":
            return f"Undecided between {self.a} and {self.b} after all {result.blocks:,} blocks."
        accepted, other = result.low, result.high
        if result.verdict == "accepted high":
            accepted, other = other, accepted
        unit = self.pairing.unit.a_game
        return f"The test accepts {accepted:.10g}, not {other:.10g}, {unit} for {self.a} over {self.b}."

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        told = {
            "a": self.a,
            "b": self.b,
            "measure": self.pairing.unit.measure,
            "looks": list(self.looks),
            "result": asdict(self.result),
            "estimate": asdict(self.estimate),
            "verdict": self.result.verdict,
            "blocks": self.result.blocks,
            "seed": self.pairing.seed,
            "rules_version": self.pairing.game.rules_version,
        }
        return dict(defined(told))

    def summary(self) -> pl.DataFrame:
        """Return one row with the result and the estimate."""
        told = self.to_dict()
        names = {key: told[key] for key in ("a", "b", "measure")}
        return pl.DataFrame([{**names, **told["estimate"], **told["result"], "seed": told["seed"]}])

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()


def compare_until_decided(
    game: str | Game,
    a: "str | Strategy",
    b: "str | Strategy",
    *,
    most_deals: int = MOST_DEALS,
    test: tuple[float, float] | None = None,
    alpha: float = 0.05,
    seed: int = 1,
    measure: str = "score",
    seats: int | None = None,
    opponents: "Sequence[str | Strategy]" = (),
    margin: float | None = None,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> EarlyComparison:
    """Compare two strategies on the same deals until the answer is clear.

    Parameters
    ----------
    game, a, b, seed, measure, seats, opponents, margin, variant, n_jobs, backend, progress
        See `compare`.
    most_deals
        Where to give up: the last look.
    test
        Two differences in points (or wins) a game, low and high: a sequential test accepts one of them. Without it the
        verdict is better, worse or equivalent (inside the margin), by a confidence sequence.
    alpha
        The error rate over all looks together.

    Returns
    -------
    EarlyComparison

    Raises
    ------
    UsageError, StrategyError
        As they say.
    """
    pairing = make_pairing(
        game, a, b, seats=seats, opponents=opponents, margin=margin, variant=variant, seed=seed, measure=measure
    )
    most = check_whole("most_deals", most_deals, 1, 10**12)
    planned = looks(first=min(FIRST_LOOK, most), ratio=LOOK_RATIO, most=most)
    work: dict[str, Any] = {"n_jobs": n_jobs, "backend": backend, "progress": progress}
    played: list[Any] = []

    def play(first_deal: int, deals: int) -> PairedCounts:
        _, run = pairing.play(pairing.a, pairing.b, deals, first_deal=first_deal, **work)
        played.append(run)
        return run.result

    held: list[PairedCounts] = []

    def prefixes() -> Iterator[Histogram]:
        done = 0
        for look in planned:
            part = play(done, look - done)
            held.append(held[-1] + part if held else part)
            done = look
            yield held[-1].difference

    # The scale (seat-games of a side in a block) is known when the first look has been played.
    differences = prefixes()
    first = next(differences)
    scale = held[0].scale

    def all_looks() -> Iterator[Histogram]:
        yield first
        yield from differences

    result: SequentialResult | SprtResult
    if test is None:
        result = sequential_verdict(
            all_looks(), pairing.margin, alpha=alpha, optimised_for=max(FIRST_LOOK, OPTIMISED_SHARE * most), scale=scale
        )
    else:
        result = sprt(all_looks(), test[0], test[1], alpha=alpha, beta=alpha, scale=scale)
    counts = held[-1]
    fresh = play(result.blocks, result.blocks)
    estimate = estimate_after_stop(counts.difference, fresh.difference, scale=scale)
    seconds, games = sum(run.seconds for run in played), sum(run.games for run in played)
    return EarlyComparison(pairing.a.spec, pairing.b.spec, pairing, planned, counts, result, estimate, seconds, games)
