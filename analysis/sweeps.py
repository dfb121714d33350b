"""Sweep: rule options and strategy parameters over a grid, every point on the same deals.

What a change does is the paired difference of its blocks from those of the base point, which carries no luck that both
points shared.
"""

import functools
import itertools
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from analysis.comparisons import FEWEST_BLOCKS
from analysis.frames import defined
from analysis.grids import (
    Axis,
    Measures,
    Point,
    Setup,
    add_moments,
    exact_moments,
    find_strategies,
    listed,
    make_grid,
    make_setup,
    standard_error,
    value_text,
)
from analysis.intervals import Interval, check_confidence, student_interval
from analysis.simultaneous import Moments
from analysis.tables import WIDTH, wide_table, wrapped
from sims.errors import UsageError
from sims.game import SCORE, Game, Rules, find_game, near_misses
from strategies.api import Strategy

if TYPE_CHECKING:
    import pandas as pd

MANY_POINTS = 5
"""From so many points on, the range of every statistic is told."""

LABEL_WIDTH = 20  # of the points that have one order
LONGEST_SETTINGS = 120  # in a sentence

# --- The result ------------------------------------------------------------------------------------------------------


class Flip(NamedTuple):
    """Two strategies whose order changes: the points where `a` is surely better, and those where `b` is."""

    a: str
    b: str
    a_better: tuple[int, ...]
    b_better: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sweep:
    """What `sweep` found.

    Attributes
    ----------
    setup, axes, points
        What was played.
    strategies
        The strategies as they were given.
    moments
        `moments[point][strategy]`: exact moments of the block sums of the base point and of this point, side by side.
    scores
        `scores[point]`: exact moments of the block scores of all strategies, in points a block.
    confidence
        The confidence of all intervals.
    seconds, games
        How long it took, and the games that were played.
    chosen
        The statistics beside the mean score that are told; None for all.
    """

    setup: Setup
    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    strategies: tuple[str, ...]
    moments: tuple[tuple[Moments, ...], ...]
    scores: tuple[Moments, ...]
    confidence: float
    seconds: float
    games: int
    chosen: tuple[str, ...] | None = None

    @functools.cached_property
    def measures(self) -> tuple[tuple[Measures, ...], ...]:
        """The statistics of each strategy, `measures[point][strategy]`: rules may change who sits where."""
        game, seats, count = self.setup.game, self.setup.seats, len(self.strategies)
        known = {point.rules: self.setup.seat_games(point.rules, count) for point in self.points}
        return tuple(
            tuple(Measures(game, seats, tuple(games)) for games in known[point.rules]) for point in self.points
        )

    @functools.cached_property
    def names(self) -> list[str]:
        """The names of the statistics that all points have, or of those that were asked for; the mean score first."""
        common = common_names([here[0] for here in self.measures])
        return common if self.chosen is None else ["mean_score", *self.chosen]

    def _keys(self, point: int) -> dict[str, Any]:
        values = zip(self.axes, self.points[point].values, strict=True)
        return {
            "point": point,
            **{axis.name: value_text(value) if isinstance(value, tuple) else value for axis, value in values},
        }

    def _statistic(self, point: int, strategy: int, name: str) -> tuple[float, Interval]:
        moments = self.moments[point][strategy]
        value, gradient = self.measures[point][strategy].measure(name, moments, moments.strategies // 2)
        error = standard_error(moments, gradient)
        return value, student_interval(value, error, moments.blocks, self.confidence)

    def _effect(self, point: int, strategy: int, name: str) -> tuple[float, Interval]:
        moments = self.moments[point][strategy]
        base = self.measures[0][strategy].measure(name, moments)
        here = self.measures[point][strategy].measure(name, moments, moments.strategies // 2)
        effect = here.value - base.value
        error = standard_error(moments, here.gradient, -base.gradient)
        return effect, student_interval(effect, error, moments.blocks, self.confidence)

    def summary(self) -> pl.DataFrame:
        """Return one row a point and strategy.

        Columns: `point`; one for each axis; `strategy` as given; `spec`, what played here; `blocks`; `games`, its
        seat-games; `mean` with the ends `low` and `high` of its interval over blocks; `sd`; then the means of the other
        outcome columns, `mean_…`, and at a table `win_seat_…`, its share of a win when it sits there.
        """
        rows = []
        for place, point in enumerate(self.points):
            for which, strategy in enumerate(self.strategies):
                mean, interval = self._statistic(place, which, "mean_score")
                blocks = self.moments[place][which].blocks
                rows.append(
                    {
                        **self._keys(place),
                        "strategy": strategy,
                        "spec": point.strategies[which].spec,
                        "blocks": blocks,
                        "games": blocks * sum(self.measures[place][which].seat_games),
                        "mean": mean,
                        "low": defined(interval.low),
                        "high": defined(interval.high),
                        "sd": defined(self._statistic(place, which, "sd_score")[0]),
                        **{
                            name: self._statistic(place, which, name)[0]
                            for name in self.names
                            if name not in ("mean_score", "sd_score")
                        },
                    }
                )
        return pl.DataFrame(rows)

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()

    def effects(self) -> pl.DataFrame:
        """Return one row a point (without the base), strategy and statistic: what the point changes against the base.

        Columns: `point`; one for each axis; `changed`, the axes whose value is not that of the base; `strategy`;
        `measure`; `effect`, the paired difference, with the ends `low` and `high` of its interval; `clear`, whether the
        interval excludes 0.
        """
        rows = []
        for place in range(1, len(self.points)):
            values = zip(self.axes, self.points[place].values, self.points[0].values, strict=True)
            changed = ", ".join(axis.name for axis, here, base in values if here != base)
            for which, strategy in enumerate(self.strategies):
                for name in self.names:
                    effect, interval = self._effect(place, which, name)
                    rows.append(
                        {
                            **self._keys(place),
                            "changed": changed,
                            "strategy": strategy,
                            "measure": name,
                            "effect": defined(effect),
                            "low": defined(interval.low),
                            "high": defined(interval.high),
                            "clear": _excludes(interval, self.moments[place][which].blocks),
                        }
                    )
        schema = {"effect": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(rows, schema_overrides=schema if rows else None)

    def order(self) -> pl.DataFrame:
        """Return one row a point and pair of strategies.

        Columns: `point`; one for each axis; `a`, `b`; `effect`, the mean of A − B, with the ends `low` and `high` of
        intervals that hold for all pairs and points at once (Bonferroni); `better`, the one that surely is, or null.
        """
        pairs = list(itertools.combinations(range(len(self.strategies)), 2))
        at_once = 1 - (1 - self.confidence) / max(len(pairs) * len(self.points), 1)
        rows = []
        for place, moments in enumerate(self.scores):
            for a, b in pairs:
                games = sum(self.measures[place][a].seat_games)
                effect, error = (number / games for number in moments.difference(a, b))
                interval = student_interval(effect, error, moments.blocks, at_once)
                winner = self.strategies[a if effect > 0 else b]
                rows.append(
                    {
                        **self._keys(place),
                        "a": self.strategies[a],
                        "b": self.strategies[b],
                        "effect": effect,
                        "low": defined(interval.low),
                        "high": defined(interval.high),
                        "better": winner if _excludes(interval, moments.blocks) else None,
                    }
                )
        schema = {"low": pl.Float64, "high": pl.Float64, "better": pl.String}
        return pl.DataFrame(rows, schema_overrides=schema if rows else None)

    def flips(self) -> tuple[Flip, ...]:
        """Return the pairs whose order surely flips: one is better at some point, the other at another.

        With the confidence of the sweep, no such claim is false.
        """
        better: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for row in self.order().iter_rows(named=True):
            sides = better.setdefault((row["a"], row["b"]), ([], []))
            if row["better"] is not None:
                sides[row["better"] != row["a"]].append(row["point"])
        return tuple(
            Flip(a, b, tuple(first), tuple(second)) for (a, b), (first, second) in better.items() if first and second
        )

    def ranking(self, point: int) -> list[str]:
        """Return the strategies at a point, the highest mean first."""
        sums = self.scores[point].sums
        return [self.strategies[k] for k in sorted(range(len(sums)), key=lambda k: (-sums[k], k))]

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as JSON values; a statistic that is not defined is null."""
        return {
            "design": {
                **self.setup.to_dict(),
                "rules": self.points[0].rules.to_dict(),
                "axes": {axis.name: [listed(value) for value in axis.values] for axis in self.axes},
                "strategies": list(self.strategies),
            },
            "confidence": self.confidence,
            "points": self.summary().to_dicts(),
            "effects": self.effects().to_dicts(),
            "order": self.order().to_dicts(),
            "rankings": [self.ranking(point) for point in range(len(self.points))],
            "flips": [
                {"a": flip.a, "b": flip.b, "a_better": list(flip.a_better), "b_better": list(flip.b_better)}
                for flip in self.flips()
            ],
        }

    # --- Text --------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        count, setup = len(self.strategies), self.setup
        told = (
            f"Sweep of {setup.game.name}: {_several(count, 'strategy', 'strategies')} at "
            f"{_several(len(self.points), 'point', 'points')}, {setup.deals:,} common deals, "
            f"{_several(setup.seats, 'seat', 'seats')}, seed {setup.seed}, rules version {setup.game.rules_version}."
        )
        parts = [wrapped(told), self._legend(), self._means_text()]
        if len(self.points) > 1:
            parts.append(self._effects_text())
        if len(self.points) >= MANY_POINTS:
            parts.append(self._ranges_text())
        if count > 1:
            parts.append(self._order_text())
        return "\n\n".join(parts)

    def _legend(self) -> str:
        lines = []
        for place in range(len(self.points)):
            label = f"  {place:>3}{' (base)' if place == 0 else ''}"
            lines.append(wrapped(self._settings(place, changed=place > 0), f"{label:<14}", " " * 14))
        title = "points (what they change)" if len(self.axes) > 1 and len(self.points) > 1 else "points"
        return "\n".join([title, *lines])

    def _settings(self, point: int, *, changed: bool) -> str:
        """Return what is set at a point, or what of it is not as at the base."""
        values = zip(self.axes, self.points[point].values, self.points[0].values, strict=True)
        return ", ".join(
            f"{axis.name}={value_text(here)}" for axis, here, base in values if not changed or here != base
        )

    @property
    def _told_names(self) -> list[str]:
        """The statistics of the text; those that only repeat the score are left out where the score is the win."""
        repeated = ("sd_score", "mean_win") if self.setup.game.score_is_win and self.chosen is None else ()
        return [name for name in self.names if name not in repeated]

    def _heading(self, name: str) -> str:
        if name == "mean_score" and self.setup.game.score_is_win:
            return "wins"
        return name.removeprefix("mean_")

    def _means_text(self) -> str:
        frame = self.summary()
        percent = f"{100 * self.confidence:.10g}%"
        mean = "wins" if self.setup.game.score_is_win else "mean"
        shown: list[tuple[str, list[str]]] = [
            (mean, [f"{row['mean']:.3f}" for row in frame.iter_rows(named=True)]),
            (f"± {percent}", [_half(row["low"], row["high"]) for row in frame.iter_rows(named=True)]),
        ]
        for name in self._told_names[1:]:
            column = "sd" if name == "sd_score" else name
            shown.append((column.removeprefix("mean_"), [_decimals(value) for value in frame[column]]))
        keys = [[str(row["point"]), row["strategy"]] for row in frame.iter_rows(named=True)]
        return wide_table(("point", "strategy"), keys, shown)

    def _effects_text(self) -> str:
        frame = self.effects()
        keys: list[list[str]] = []
        cells: dict[str, list[str]] = {name: [] for name in self.names}
        for row in frame.iter_rows(named=True):
            key = [str(row["point"]), row["strategy"]]
            if key not in keys:
                keys.append(key)
            mark = "*" if row["clear"] else " "
            cells[row["measure"]].append("-" + mark if row["effect"] is None else f"{row['effect']:+.3f}{mark}")
        shown = [(self._heading(name), cells[name]) for name in self._told_names]
        heading = (
            f"Against the base, as paired differences (* its own {100 * self.confidence:.10g} % interval excludes 0)"
        )
        return wrapped(heading) + "\n" + wide_table(("point", "strategy"), keys, shown)

    def _ranges_text(self) -> str:
        """Return the lowest and the highest value of every statistic over all points."""
        frame = self.summary().rename({"mean": "mean_score", "sd": "sd_score"})
        keys, cells = [], []
        for name in self._told_names:
            for strategy in self.strategies:
                rows = frame.filter(pl.col("strategy") == strategy).drop_nulls(name).sort(name, "point")
                if rows.is_empty():
                    continue
                keys.append([self._heading(name), strategy])
                highest = rows.filter(pl.col(name) == pl.col(name).max())
                ends = (rows.row(0, named=True), highest.row(0, named=True))
                cells.append([text for row in ends for text in (_decimals(row[name]), str(row["point"]))])
        headings = ("lowest", "at point", "highest", "at point")
        columns = list(zip(headings, map(list, zip(*cells, strict=True)), strict=True))
        return "Over all points\n" + wide_table(("", "strategy"), keys, columns)

    def _order_text(self) -> str:
        sure = {
            (row["point"], frozenset((row["a"], row["b"]))): row["better"] is not None
            for row in self.order().iter_rows(named=True)
        }
        orders: dict[str, list[int]] = {}
        for place in range(len(self.points)):
            ranking = self.ranking(place)
            told = ranking[0]
            for better, worse in itertools.pairwise(ranking):
                told += f" {'>' if sure[place, frozenset((better, worse))] else '~'} {worse}"
            orders.setdefault(told, []).append(place)
        by = "share of wins" if self.setup.game.score_is_win else "mean score"
        lines = [wrapped(f"Order by {by} (> surely better, ~ not surely), for all points at once")]
        labels = {told: textwrap.wrap(_runs(places), LABEL_WIDTH) for told, places in orders.items()}
        width = max(3, *(len(line) for label in labels.values() for line in label))
        for told, label in labels.items():
            texts = textwrap.wrap(told, WIDTH - width - 4, break_on_hyphens=False)
            for points, text in itertools.zip_longest(label, texts, fillvalue=""):
                lines.append(f"  {points:>{width}}  {text}".rstrip())
        return "\n".join(lines) + "\n\n" + "\n".join(wrapped(sentence) for sentence in self.flip_sentences())

    def flip_sentences(self) -> list[str]:
        """Say in words where the order of two strategies changes."""
        rows = {(row["a"], row["b"], row["point"]): row for row in self.order().iter_rows(named=True)}

        def told(flip: Flip, points: tuple[int, ...], sign: int) -> str:
            # Where it shows most clearly.
            point = max(points, key=lambda place: sign * rows[flip.a, flip.b, place]["effect"])
            row = rows[flip.a, flip.b, point]
            low, high = sorted((sign * row["low"], sign * row["high"]))
            return f"by {abs(row['effect']):.3f} ({low:.3f} to {high:.3f}) at {self._told(point)}"

        sentences = [
            f"The order flips: {flip.a} beats {flip.b} {told(flip, flip.a_better, 1)}, and {flip.b} beats {flip.a} "
            f"{told(flip, flip.b_better, -1)}."
            for flip in self.flips()
        ]
        if sentences:
            return sentences
        if len({tuple(self.ranking(point)) for point in range(len(self.points))}) > 1:
            return ["No order surely flips: means change places, but not beyond what chance explains."]
        return ["No order flips: the means have the same order at every point."]

    def _told(self, point: int) -> str:
        told = self._settings(point, changed=len(self.axes) > 1 and point > 0)
        return told if len(told) <= LONGEST_SETTINGS else "the base" if point == 0 else f"point {point}"


def _excludes(interval: Interval, blocks: int) -> bool:
    return blocks >= FEWEST_BLOCKS and not interval.low <= 0 <= interval.high


def _runs(places: Sequence[int]) -> str:
    """Return ascending numbers in words, neighbours together: "0-2, 5"."""
    groups: list[list[int]] = []
    for place in places:
        if groups and place == groups[-1][-1] + 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups)


def _several(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _half(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{(high - low) / 2:.3f}"


def _decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


# --- The verb --------------------------------------------------------------------------------------------------------


def common_names(measures: Sequence[Measures]) -> list[str]:
    """Return the names of the statistics that all of these have."""
    return [name for name in measures[0].names if all(name in other.names for other in measures)]


def find_measures(setup: Setup, rules: Sequence[Rules], count: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return the statistics that are asked for, as `Measures` names them; "turns" means "mean_turns".

    Parameters
    ----------
    setup, rules
        What is played.
    count
        The number of strategies.
    names
        Each may be given once.

    Raises
    ------
    UsageError
        For a name that is unknown at some point, or comes twice.
    """
    known = common_names([Measures(setup.game, setup.seats, tuple(setup.seat_games(one, count)[0])) for one in rules])
    short = [name.removeprefix("mean_") for name in known]
    chosen = []
    for name in names:
        plain = name.removeprefix("mean_")
        if plain not in short:
            raise UsageError(f"there is no measure {name!r}{near_misses(plain, short)}")
        chosen.append(known[short.index(plain)])
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the measure {twice.removeprefix('mean_')} is asked for twice: give each once")
    return tuple(name for name in chosen if name != "mean_score")


def sweep(
    game: str | Game,
    strategies: "str | Strategy | Sequence[str | Strategy]",
    grid: "Mapping[str, Iterable[Any]] | pl.DataFrame | pd.DataFrame",
    *,
    deals: int = 100_000,
    seed: int = 1,
    seats: int | None = None,
    opponents: "Sequence[str | Strategy]" = (),
    measures: Sequence[str] | None = None,
    confidence: float = 0.95,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> Sweep:
    """Play strategies at every point of a grid, on the same deals.

    Parameters
    ----------
    game
        The game's name.
    strategies
        One strategy or more.
    grid
        Values by option of the rules ("run_points"), or by parameter of one of the strategies ("careful.price"): all
        combinations are played. Or a frame, for Polars or pandas, with a column for each of these names: exactly its
        rows are played. The first value of each, or the first row, is the base that all others are compared with.
    deals, seed
        Which deals; each is a block.
    seats
        Seats at the table, which the rules of all points must allow; by default the fewest that they do, or one more
        than there are opponents. With one seat, each strategy plays the deal alone. With more, every two strategies
        meet as in `compare`; a single one plays against itself, and its wins by seat tell what the seats are worth.
    opponents
        Others at the table: then the strategies do not meet, each plays the deal with these, as in `compare`.
    measures
        What is told beside the mean score; by default everything. Names of outcome columns for their means ("turns"),
        "sd_score", and at a table "win_seat_0" and so on, the share of a win at a seat.
    confidence
        Of all intervals, between 0 and 1.
    variant
        The rules where no option is varied: the name of a variant, or a rules object.
    n_jobs, backend, progress
        See `sims.run.run`; none of them changes the result.

    Returns
    -------
    Sweep

    Raises
    ------
    UsageError, StrategyError
        As they say.
    """
    check_confidence(confidence)
    found = find_game(game)
    rules = found.resolve_rules(variant)
    given = find_strategies(found, strategies)
    axes, points = make_grid(rules, given, grid)
    if not axes:
        raise UsageError("a sweep needs something to vary: option=value|value or strategy.parameter=value|value")
    rules_played = list(dict.fromkeys(point.rules for point in points))
    setup = make_setup(found, rules_played, seats, opponents, deals, seed, n_jobs, backend, progress)
    chosen = None if measures is None else find_measures(setup, rules_played, len(given), measures)
    moments: list[list[Moments | None]] = [[None] * len(given) for _ in points]
    scores: list[Moments | None] = [None] * len(points)
    seconds, games = 0.0, 0
    for batch, more_seconds, more_games in setup.play(points):
        seconds, games = seconds + more_seconds, games + more_games
        for place in range(len(points)):
            scores[place] = add_moments(scores[place], exact_moments(batch[place, :, :, SCORE].T))
            for which in range(len(given)):
                both = np.concatenate([batch[0, which], batch[place, which]], axis=1)
                moments[place][which] = add_moments(moments[place][which], exact_moments(both))
    return Sweep(
        setup,
        axes,
        points,
        tuple(strategy.spec for strategy in given),
        tuple(tuple(item for item in row if item is not None) for row in moments),
        tuple(item for item in scores if item is not None),
        confidence,
        seconds,
        games,
        chosen,
    )
