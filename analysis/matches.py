"""Compare: two strategies on the same deals, with the controls that show whether the comparison itself is sound."""

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from analysis.comparisons import (
    POINTS,
    UNITS,
    WINS,
    Control,
    LuckAdjusted,
    LuckSums,
    PairedCounts,
    PairedResult,
    Unit,
    control_entry,
    control_passed_mirror,
    control_passed_weak,
    luck_adjusted,
    luck_slope,
    paired_verdict,
    verdict_block,
)
from analysis.frames import defined
from analysis.histogram import Histogram
from sims.design import CHUNK, LARGEST_DEALS, Design, Outcomes
from sims.errors import UsageError
from sims.game import Game, Rules, find_game, near_misses
from sims.run import Run, run
from sims.table import Player
from strategies.api import Strategy
from strategies.specs import builtin_strategies, find_strategy

if TYPE_CHECKING:
    import pandas as pd

CONTROL_DEALS = 16_384
"""Controls play at most this many deals: enough to see a difference of half a point, and no burden on a long run."""

PILOT_DEALS = 2_048
"""The slope of the luck adjustment comes from at most this many deals, and from no more than the run has."""

PILOT_START = LARGEST_DEALS
"""The pilot's first deal: no comparison gets that far, so the pilot shares no deal with the run that it adjusts."""

Sides = tuple[tuple[tuple[int, ...], ...], ...]  # by line-up, rotation, seat: 1 for A, −1 for B, 0 for the others


@dataclass(frozen=True)
class Match:
    """Who plays for A, who for B: the line-ups of one block and the side of every seat."""

    lineups: tuple[tuple[Player, ...], ...]
    sides: tuple[tuple[int, ...], ...]  # of the line-ups before rotation

    def design_sides(self, design: Design) -> Sides:
        """Return the side of every seat under every rotation."""
        return tuple(
            tuple(tuple(self.sides[lineup][who] for who in seating) for seating in design.seatings(lineup))
            for lineup in range(len(self.lineups))
        )


def make_match(game: Game, rules: Any, a: Player, b: Player, seats: int, opponents: Sequence[Player]) -> Match:
    """Return the line-ups of a comparison.

    One seat: each plays the deal alone. Opponents: each plays the deal with the same opponents. Otherwise both sit at
    one table and alternate, seat by seat or, at a table of teams, team by team: once beginning with A and, where
    turning the table does not give that anyway, once beginning with B.
    """
    if opponents or seats == 1:
        rest = tuple(opponents)
        return Match(((a, *rest), (b, *rest)), ((1, *(0 for _ in rest)), (-1, *(0 for _ in rest))))
    signs = tuple((1, -1)[party % 2] for party in game.party_of(rules, seats))
    turned = [tuple(signs[who] for who in seating) for seating in game.rotate(rules, seats)]
    both = sorted(turned) != sorted(tuple(-sign for sign in line) for line in turned)
    sides = (signs, tuple(-sign for sign in signs)) if both else (signs,)
    return Match(tuple(tuple(a if sign > 0 else b for sign in line) for line in sides), sides)


def count_pairs(
    design: Design,
    chunk: int,
    outcomes: Sequence[Outcomes],
    *,
    sides: Sides,
    unit: Unit = POINTS,
    with_luck: bool = False,
) -> PairedCounts:
    """Count the blocks of one chunk: sums of A's scores, of B's, and their differences; if asked for, with the luck."""
    first = np.zeros(outcomes[0].shape[1], np.int64)
    second = np.zeros_like(first)
    for array, rotations in zip(outcomes, sides, strict=True):
        for scores, seats in zip(array[..., unit.column], rotations, strict=True):
            for seat, side in enumerate(seats):
                if side:
                    (first if side > 0 else second)[:] += scores[:, seat]
    difference = first - second
    luck = None
    if with_luck and design.game.luck is not None:
        values = design.game.luck(design.seed, design.first_deal + chunk * CHUNK, len(difference))
        luck = LuckSums(int(values.sum()), int(values @ values), int(difference @ values))
    return PairedCounts(
        Histogram.from_scores(difference),
        Histogram.from_scores(first),
        Histogram.from_scores(second),
        unit.size * sum(side > 0 for rotations in sides for seats in rotations for side in seats),
        luck,
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    a, b
        The specs of the two.
    design
        What was played.
    counts
        The exact counts of the blocks.
    result
        Effect, interval, verdict and all that goes with them.
    controls
        The mirror control and the known-weak control.
    seconds, games
        How long it took, and the games that were played for it, both with the controls
        and the pilot of the luck adjustment.
    unit
        What was compared: points or wins.
    adjusted
        The effect without the part that goes along with the luck of the deals; None when the game does not tell it.
    """

    a: str
    b: str
    design: Design
    counts: PairedCounts
    result: PairedResult
    controls: dict[str, Control]
    seconds: float
    games: int
    unit: Unit = POINTS
    adjusted: LuckAdjusted | None = None

    @property
    def seat_games(self) -> int:
        """The number of seat-games that each side has in one block."""
        return self.counts.scale // self.unit.size

    def text(self) -> str:
        """Return the verdict block, at most 80 columns wide."""
        return verdict_block(
            self.result,
            self.a,
            self.b,
            self.design.seed,
            self.design.game.rules_version,
            self.controls,
            unit=self.unit,
            adjusted=self.adjusted,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values; a statistic that is not defined is null."""
        result = self.result
        told = {
            "a": self.a,
            "b": self.b,
            "measure": self.unit.measure,
            "blocks": result.blocks,
            "effect": result.effect,
            "low": result.low,
            "high": result.high,
            "p_a_better": result.p_a_better,
            "p_tie": result.p_tie,
            "margin": result.margin,
            "verdict": result.verdict,
            "seed": self.design.seed,
            "rules_version": self.design.game.rules_version,
            "variance_ratio": result.variance_ratio,
            "smallest_detectable": result.smallest_detectable,
            "luck_adjusted": asdict(self.adjusted) if self.adjusted else None,
            "controls": self.controls,
            "design": self.design.to_dict(),
        }
        return dict(defined(told))

    def scores(self) -> pl.DataFrame:
        """Return both distributions: columns `strategy`, `score` (in units a game, mean over a block), `count`."""
        return pl.concat(
            _counted(histogram, self.counts.scale, "score").select(pl.lit(spec).alias("strategy"), "score", "count")
            for spec, histogram in ((self.a, self.counts.a), (self.b, self.counts.b))
        )

    def differences(self) -> pl.DataFrame:
        """Return the distribution of A − B: columns `difference` (in units a game), `count` (blocks)."""
        return _counted(self.counts.difference, self.counts.scale, "difference")

    def summary(self) -> pl.DataFrame:
        """Return one row with the statistics, for tables and files."""
        told = self.to_dict()
        row = {key: value for key, value in told.items() if key not in ("luck_adjusted", "controls", "design")}
        for name in (item.name for item in dataclasses.fields(LuckAdjusted)):
            row[f"luck_adjusted_{name}"] = (told["luck_adjusted"] or {}).get(name)
        for name, control in self.controls.items():
            row[f"{name}_control"] = control["passed"]
        return pl.DataFrame([row])

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()


def _counted(histogram: Histogram, scale: int, name: str) -> pl.DataFrame:
    counts = histogram.to_dict()
    return pl.DataFrame(
        {name: [score / scale for score in counts], "count": list(counts.values())},
        schema={name: pl.Float64, "count": pl.Int64},
    )


@dataclass(frozen=True)
class Pairing:
    """Two players who may be compared: the table that they sit at, and which deals they get.

    Attributes
    ----------
    game, rules
        What is played.
    a, b
        The two players.
    seats, others
        Seats at the table, and the opponents whom both meet instead of each other.
    margin
        The difference, in units a game, that does not matter.
    seed
        The seed of all deals.
    unit
        What is compared: points or wins.
    """

    game: Game
    rules: Any
    a: Player
    b: Player
    seats: int
    others: tuple[Player, ...]
    margin: float
    seed: int
    unit: Unit = POINTS

    def play(
        self, first: Player, second: Player, deals: int, *, first_deal: int = 0, with_luck: bool = False, **work: Any
    ) -> tuple[Design, Run[PairedCounts]]:
        """Play two players on deals from `first_deal` on; `work` goes to `sims.run.run`."""
        match = make_match(self.game, self.rules, first, second, self.seats, self.others)
        design = Design(self.game, self.rules, match.lineups, seed=self.seed, deals=deals, first_deal=first_deal)
        sides = match.design_sides(design)
        reduce = functools.partial(count_pairs, sides=sides, unit=self.unit, with_luck=with_luck)
        return design, run(design, reduce, **work)

    def controls(
        self, result: PairedResult, deals: int, **work: Any
    ) -> tuple[dict[str, Control], list[Run[PairedCounts]]]:
        """Play the controls: A against itself, and the known weak player against the stronger of the two.

        `work` goes to `play`.
        """
        # The same player with other draws of its own: differences come and go, and must cancel.
        runs = [self.play(self.a, dataclasses.replace(self.a, stream=1), deals, **work)[1]]
        mirror = paired_verdict(runs[0].result, self.margin)
        controls = {"mirror": control_entry(self.a.spec, mirror, control_passed_mirror(mirror))}
        weak = next((strategy for strategy in builtin_strategies(self.game.name) if "weak" in strategy.tags), None)
        stronger = self.a if result.effect >= 0 else self.b
        if weak is not None:
            runs.append(self.play(stronger, weak.player(), deals, **work)[1])
            lost = paired_verdict(runs[1].result, self.margin)
            passed = control_passed_weak(lost) if stronger.digest != weak.digest else None
            controls["weak"] = control_entry(weak.spec, lost, passed)
        return controls, runs


def find_unit(game: Game, measure: str) -> Unit:
    """Return what a measure counts in a game: wins too where the score is the win.

    Raises
    ------
    UsageError
        For an unknown measure.
    """
    if measure not in list(UNITS):  # a list also takes what has no hash
        raise UsageError(f"unknown measure {measure!r}{near_misses(measure, UNITS)}")
    return WINS if game.score_is_win else UNITS[measure]


def default_margin(game: Game, unit: Unit) -> float:
    """Return the difference, in units a game, that does not matter unless the user says otherwise."""
    return game.margin if unit.margin is None or game.score_is_win else unit.margin


def check_margin(game: Game, unit: Unit, margin: float | None) -> float:
    """Return a margin, the default one for None.

    Raises
    ------
    UsageError
        When it is no number of 0 or more.
    """
    if margin is None:
        return default_margin(game, unit)
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not (math.isfinite(margin) and margin >= 0):
        raise UsageError(f"margin={margin!r} does not fit: it takes a number of {unit.name}, 0 or more")
    return margin


def make_pairing(
    game: str | Game,
    a: "str | Strategy",
    b: "str | Strategy",
    *,
    seats: int | None = None,
    opponents: "Sequence[str | Strategy]" = (),
    margin: float | None = None,
    variant: "str | Rules | None" = None,
    seed: int = 1,
    measure: str = "score",
) -> Pairing:
    """Check the arguments of a comparison (see `compare`) and return the pairing.

    Raises
    ------
    UsageError
        For names, seats, a margin or a measure that do not fit.
    """
    found = find_game(game)
    unit = find_unit(found, measure)
    rules = found.resolve_rules(variant)
    first, second, *others = (find_strategy(found.name, spec).player() for spec in (a, b, *opponents))
    margin = check_margin(found, unit, margin)
    seats = _seats(found, rules, seats, len(others))
    if unit.measure == "win" and seats == 1:
        raise UsageError("measure='win' does not fit 1 seat, where every game is won: give 2 seats or more")
    return Pairing(found, rules, first, second, seats, tuple(others), margin, seed, unit)


def compare(
    game: str | Game,
    a: "str | Strategy",
    b: "str | Strategy",
    *,
    deals: int = 100_000,
    seed: int = 1,
    measure: str = "score",
    seats: int | None = None,
    opponents: "Sequence[str | Strategy]" = (),
    margin: float | None = None,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    progress: bool = True,
) -> Comparison:
    """Compare two strategies on the same deals.

    Parameters
    ----------
    game
        The game's name.
    a, b
        The two strategies; the effect is A's points (or wins) a game minus B's.
    deals, seed
        Which deals; each is a block.
    measure
        "score" compares points; "win" compares wins, of which n winners of a game have 1/n each, and needs two seats.
    seats
        Seats at the table; by default the fewest that the rules allow, or one more than there are opponents. With one
        seat, A and B each play the deal alone; with more, they sit at one table and take turns at all seats. In teams,
        each of them plays for whole teams.
    opponents
        Others at the table: then A and B do not meet, each plays the deal with these, at every seat or, in teams, at
        one seat of every team.
    margin
        The difference a game that does not matter; by default the game's in points, and 0.01 wins.
    variant, n_jobs, backend, store, progress
        See `simulate`.

    Returns
    -------
    Comparison

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    pairing = make_pairing(
        game, a, b, seats=seats, opponents=opponents, margin=margin, variant=variant, seed=seed, measure=measure
    )
    work: dict[str, Any] = {"n_jobs": n_jobs, "backend": backend, "progress": progress}
    design, played = pairing.play(pairing.a, pairing.b, deals, with_luck=True, store=store, **work)
    result = paired_verdict(played.result, pairing.margin)
    controls, more = pairing.controls(result, min(deals, CONTROL_DEALS), **work)
    adjusted = None
    if played.result.luck is not None:
        _, pilot = pairing.play(
            pairing.a, pairing.b, min(deals, PILOT_DEALS), first_deal=PILOT_START, with_luck=True, **work
        )
        more.append(pilot)
        adjusted = luck_adjusted(played.result, luck_slope(pilot.result))
    return Comparison(
        pairing.a.spec,
        pairing.b.spec,
        design,
        played.result,
        result,
        controls,
        played.seconds + sum(other.seconds for other in more),
        played.games + sum(other.games for other in more),
        pairing.unit,
        adjusted,
    )


def _seats(game: Game, rules: Any, seats: int | None, opponents: int) -> int:
    if seats is None:
        seats = opponents + 1 if opponents else game.seat_numbers(rules)[0]
    if isinstance(seats, bool) or not isinstance(seats, int):
        raise UsageError(f"seats={seats!r} does not fit: it takes a whole number")
    game.check_seats(seats, rules)
    if opponents and seats != opponents + 1:
        raise UsageError(f"{opponents} opponents and one strategy make {opponents + 1} seats, not {seats}")
    return seats
