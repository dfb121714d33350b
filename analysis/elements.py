"""Elements: what a game is made of, how often each part of it is used, what it earns, and whether its users win.

A game says what its elements are (`sims.elements`): symbols, lines, tracks, stones, cards, the cells of a board. Here
they are counted over many games. Each strategy plays against itself, all strategies on the same deals, so that who uses
an element more than the others at the table is not simply the better player.
"""

import dataclasses
import functools
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.comparisons import FEWEST_BLOCKS
from analysis.element_counts import (
    BATCH,
    BLOCKS,
    COUNT_SQUARES,
    COUNTS,
    GAP_SQUARES,
    GAP_UNEQUAL,
    LESS,
    MORE,
    MOST_DEALS,
    PRODUCTS,
    UNEQUAL,
    UNEQUAL_SQUARES,
    USING,
    VALUE_SQUARES,
    VALUES,
    Asked,
    Sums,
    Telling,
    UseSums,
    find_kinds,
    log_deals,
    play_and_count,
    win_unit,
)
from analysis.frames import defined, to_polars
from analysis.intervals import check_confidence
from analysis.records import SCHEMA
from analysis.tables import wide_table, wrapped
from sims.design import Design, check_whole
from sims.elements import Kind
from sims.errors import UsageError
from sims.game import WIN_UNIT, Game, Rules, find_game, near_misses
from strategies.api import Strategy
from strategies.specs import find_strategy

if TYPE_CHECKING:
    import pandas as pd

Association = Literal["more wins", "fewer wins", "undecided", "too thin"]
BoardMeasure = Literal["count", "value", "each", "gap"]


# --- The result ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Elements:
    """What `elements` found.

    Attributes
    ----------
    asked
        What was counted.
    sums
        The exact sums of every line-up.
    confidence
        Of all intervals.
    seconds, games
        How long it took, and the games that were played.
    """

    asked: Asked
    sums: tuple[UseSums, ...]
    confidence: float
    seconds: float
    games: int

    @property
    def design(self) -> Design:
        """What was played."""
        return self.asked.design

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of elements that are told."""
        return self.asked.kinds

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies that are told of."""
        return tuple(telling.strategy for telling in self.asked.tellings)

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return self.asked.seats

    @property
    def deals(self) -> int:
        """The deals that were played."""
        return self.sums[0].blocks

    def kind(self, name: str) -> Kind:
        """Return a kind by its name.

        Raises
        ------
        UsageError
            When it is not told.
        """
        known = {kind.name: kind for kind in self.kinds}
        if name not in known:
            raise UsageError(f"there are no elements of the kind {name!r}{near_misses(name, known)}")
        return known[name]

    def _places(self) -> Iterator[tuple[Kind, slice]]:
        """Yield the kinds, and where their elements stand among all."""
        first = 0
        for kind in self.kinds:
            yield kind, slice(first, first + len(kind.names))
            first += len(kind.names)

    def _elements(self, kind: Kind, strategy: str) -> pl.DataFrame:
        places = [kind.place(element) or (None, None) for element in range(len(kind.names))]
        labels = kind.labels or [None] * len(kind.names)
        return pl.DataFrame(
            {
                "strategy": [strategy] * len(kind.names),
                "kind": [kind.name] * len(kind.names),
                "element": kind.names,
                "row": [row for row, _ in places],
                "column": [column for _, column in places],
                "label": labels,
            },
            schema={
                "strategy": pl.String,
                "kind": pl.String,
                "element": pl.String,
                "row": pl.Int64,
                "column": pl.Int64,
                "label": pl.String,
            },
        )

    def summary(self) -> pl.DataFrame:
        """Return how often every element was used and what it earned.

        Returns
        -------
        One row a strategy, seat, kind and element; first those with `seat` null, of all its seats together. Columns:
        `strategy`, `seat`, `kind`, `element`; `row`, `column` (from 0) and `label`, null where there are none; `count`
        and `value`, means a game and seat; `each`, the value a use; each with the ends `_low` and `_high` of its own
        interval, over deals; `games` (seat-games) and `blocks` (deals). `value` and `each` are null for kinds without
        values, `each` for elements that were never used; its interval needs 30 deals with a use.
        """
        return self._summary

    @functools.cached_property
    def _summary(self) -> pl.DataFrame:
        frames = []
        for telling in self.asked.tellings:
            sums = self.sums[telling.lineup]
            uses = sums.uses[self.asked.of_lineup(telling.lineup).index(telling)]
            for seat, games, told in zip([None, *telling.seats], telling.seat_games, uses, strict=True):
                for kind, place in self._places():
                    numbers = _use(told[place], sums.blocks, games, kind, self.confidence)
                    head = self._elements(kind, telling.strategy)
                    frames.append(
                        head.with_columns(
                            pl.lit(seat, pl.Int64).alias("seat"),
                            *(pl.Series(name, values) for name, values in numbers.items()),
                            pl.lit(games * sums.blocks, pl.Int64).alias("games"),
                            pl.lit(sums.blocks, pl.Int64).alias("blocks"),
                        ).select("strategy", "seat", pl.all().exclude("strategy", "seat"))
                    )
        return _without_nan(pl.concat(frames))

    def association(self) -> pl.DataFrame:
        """Return whether those who use an element more than the others at the table win more.

        Returns
        -------
        One row a strategy, kind and element; none with one seat. Columns: `strategy` (all of a line-up of several,
        with commas), `kind`, `element`, `row`, `column`, `label`; `more`, the mean share of a win of the party (a seat,
        or a side) that used it most in its game, equals together; `less`, that of the others in the same games; `gap`,
        the difference, with the ends `gap_low` and `gap_high` of an interval that holds for all elements of the kind at
        once; `games` in which use was unequal and `blocks` (deals) that have some; and `verdict`: "more wins", "fewer
        wins", "undecided", or "too thin" with fewer than 30 such deals, which have no interval.

        Notes
        -----
        Gap and interval are those of a ratio over blocks (Cochran, "Sampling Techniques", 1977, chapter 6) with
        Student's quantile, the error shared among the elements by Bonferroni. Where all blocks say the same, the
        interval is that of as many successes in as many trials. What goes along with wins need not be what makes them.
        """
        return self._association

    @functools.cached_property
    def _association(self) -> pl.DataFrame:
        frames = []
        parties = len(self.design.game.parties(self.design.rules, self.seats))
        for lineup, sums in enumerate(self.sums):
            if parties < 2:
                break
            name = ", ".join(telling.strategy for telling in self.asked.of_lineup(lineup))
            for kind, place in self._places():
                numbers = _gaps(sums.wins[place], win_unit(parties), self.confidence)
                frames.append(
                    self._elements(kind, name).with_columns(
                        *(pl.Series(column, values) for column, values in numbers.items())
                    )
                )
        if not frames:
            numbers = _gaps(np.zeros((0, 7), np.int64), WIN_UNIT, self.confidence)
            empty = self._elements(self.kinds[0], "").clear()
            return empty.with_columns(
                *(
                    pl.Series(column, values, pl.String if column == "verdict" else None)
                    for column, values in numbers.items()
                )
            )
        return _without_nan(pl.concat(frames))

    def board(
        self, kind: str, measure: BoardMeasure = "count", *, strategy: str | None = None, seat: int | None = None
    ) -> pl.DataFrame:
        """Return one measure of a kind that lies on a board, for a heatmap.

        Parameters
        ----------
        kind
            The name of the kind.
        measure
            "count", "value" or "each" as in `summary`; "gap" as in `association`.
        strategy
            May be left out when there is one only.
        seat
            Of this seat alone.

        Returns
        -------
        Columns `row`, `column`, `value`, `half_width` (of its interval; null where there is none) and `element`; and
        `name`, what stands in the cell, for kinds with labels. A gap on too thin evidence is null.

        Raises
        ------
        UsageError
            For a kind that lies on no board, or a measure, strategy or seat that there is not.
        """
        found = self.kind(kind)
        if found.board is None:
            raise UsageError(f"elements of the kind {kind!r} lie on no board")
        measures = ("count", "value", "each", "gap") if found.value else ("count", "gap")
        if measure not in measures:
            raise UsageError(f"the kind {kind!r} has no measure {measure!r}: it has {', '.join(measures)}")
        if measure == "gap" and seat is not None:
            raise UsageError("who uses more than others is a question of whole games: leave out the seat")
        frame = self.association() if measure == "gap" else self.summary()
        names = frame["strategy"].unique(maintain_order=True).to_list()
        if strategy is None and len(names) == 1:
            strategy = names[0]
        if strategy not in names:
            raise UsageError(f"there is no strategy {strategy!r} here: there are {', '.join(names) or 'none'}")
        rows = frame.filter(pl.col("kind") == kind, pl.col("strategy") == strategy)
        if measure != "gap":
            if seat is not None and seat not in rows["seat"].to_list():
                raise UsageError(f"{strategy} has no seat {seat!r}")
            rows = rows.filter(pl.col("seat").eq_missing(pl.lit(seat, pl.Int64)))
        else:
            rows = rows.with_columns(gap=pl.when(pl.col("verdict") != "too thin").then("gap"))
        return rows.select(
            "row",
            "column",
            pl.col(measure).alias("value"),
            ((pl.col(f"{measure}_high") - pl.col(f"{measure}_low")) / 2).alias("half_width"),
            *([pl.col("label").alias("name")] if found.labels else []),
            "element",
        )

    def board_label(self, kind: str, measure: BoardMeasure = "count") -> str:
        """Return what a measure of a kind says, in a few words: for the colour bar of a heatmap."""
        found = self.kind(kind)
        return {
            "count": f"{found.count_unit} a game and seat",
            "value": f"{found.value_unit} a game and seat",
            "each": f"{found.value_unit} for each of the {found.count_unit}",
            "gap": "wins of who used it most, less those of the others",
        }[measure]

    def table(self) -> pl.DataFrame:
        """Return `summary` with the columns of `association` beside the rows of all seats together.

        The columns that both have mean the use in `summary`; the games and blocks of unequal use are `unequal_games`
        and `unequal_blocks`.
        """
        names = ["more", "less", "gap", "gap_low", "gap_high", "verdict"]
        pairs = self.association().select(
            pl.col("strategy").str.split(", ") if self._mixed else pl.concat_list("strategy"),
            "kind",
            "element",
            *names,
            pl.col("games").alias("unequal_games"),
            pl.col("blocks").alias("unequal_blocks"),
        )
        keys = ["strategy", "seat", "kind", "element"]
        pairs = pairs.explode("strategy").with_columns(pl.lit(None, pl.Int64).alias("seat"))
        return self.summary().join(pairs, on=keys, how="left", nulls_equal=True, maintain_order="left")

    @property
    def _mixed(self) -> bool:
        return len(self.asked.tellings) > len(self.sums)

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as JSON values; what is not defined is null."""
        kinds = [
            {
                **{
                    name: getattr(kind, name)
                    for name in ("name", "title", "doc", "of", "count", "count_unit", "value", "value_unit", "adds_up")
                },
                "board": None if kind.board is None else dataclasses.asdict(kind.board),
            }
            for kind in self.kinds
        ]
        told = {
            "design": self.design.to_dict(),
            "confidence": self.confidence,
            "deals": self.deals,
            "games": self.games,
            "kinds": kinds,
            "elements": self.summary().to_dicts(),
            "association": self.association().to_dicts(),
            "seconds": self.seconds,
        }
        return dict(defined(told))

    # --- Text --------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        design = self.design
        seats = "1 seat" if self.seats == 1 else f"{self.seats} seats"
        deals = "1 deal" if self.deals == 1 else f"{self.deals:,} deals"
        head = (
            f"{design.game.title}, rules version {design.game.rules_version}: {', '.join(self.strategies)}; "
            f"{seats}, {deals} of seed {design.seed}, {self.games:,} games."
        )
        summary = self.summary().filter(pl.col("seat").is_null())
        association = self.association()
        parts = [wrapped(head)]
        for telling in self.asked.tellings:
            own = summary.filter(pl.col("strategy") == telling.strategy)
            told = ", ".join(one.strategy for one in self.asked.of_lineup(telling.lineup))
            pairs = association.filter(pl.col("strategy") == told)
            for kind in self.kinds:
                rows = own.filter(pl.col("kind") == kind.name)
                heading = f"{kind.title} ({telling.strategy}): {kind.doc}"
                if kind.board is None:
                    body = self._table_text(kind, rows, pairs.filter(pl.col("kind") == kind.name))
                else:
                    body = _board_text(kind, rows)
                parts.append(f"{wrapped(heading)}\n\n{body}")
        return "\n\n".join([*parts, *self._notes(association)])

    def _table_text(self, kind: Kind, rows: pl.DataFrame, pairs: pl.DataFrame) -> str:
        half = f"± {100 * self.confidence:.10g}%"
        columns: list[tuple[str, list[str]]] = []
        for measure, unit in (("count", kind.count_unit), ("value", kind.value_unit)):
            if measure == "value" and not kind.value:
                continue
            columns.append((unit, [_number(value) for value in rows[measure]]))
            columns.append((half, _halves(rows, measure)))
        if kind.value:
            columns.append(("each", [_number(value) for value in rows["each"]]))
        if len(pairs):
            marks = {"more wins": " +", "fewer wins": " -", "undecided": "  ", "too thin": "  "}
            thin = (pairs["verdict"] == "too thin").to_list()
            more = [
                "thin  " if few else f"{100 * value:.1f} %{marks[verdict]}"
                for few, value, verdict in zip(thin, pairs["more"], pairs["verdict"], strict=True)
            ]
            less = ["" if few else f"{100 * value:.1f} %" for few, value in zip(thin, pairs["less"], strict=True)]
            columns += [("most win", more), ("others", less)]
        return wide_table((kind.name,), [(name,) for name in rows["element"]], columns)

    def _notes(self, association: pl.DataFrame) -> list[str]:
        told = [wrapped("Counts and values are means a game and seat; each is what one use earns.")]
        tables = [kind.name for kind in self.kinds if kind.board is None]
        if association.filter(pl.col("kind").is_in(tables)).is_empty():
            return told
        note = (
            "most win: the share of wins of who used it most in a game; others: that of the rest of the same games. + "
            f"and - where the difference holds for all elements of the kind at once. thin: fewer than {FEWEST_BLOCKS} "
            "deals in which use was unequal. What goes along with wins need not be what makes them."
        )
        return [*told, wrapped(note)]


def _use(told: Sums, blocks: int, games: int, kind: Kind, confidence: float) -> dict[str, NDArray[np.float64]]:
    """Return means a game and seat, with intervals over blocks; `games` are the seat-games of a block."""
    sums = told.astype(np.float64)
    sums[:, VALUES] /= kind.scale
    sums[:, PRODUCTS] /= kind.scale
    sums[:, VALUE_SQUARES] /= kind.scale**2
    counts, values = sums[:, COUNTS], sums[:, VALUES]
    critical = _critical(blocks, confidence)

    def mean(total: NDArray[np.float64], squares: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        # Of a sum that no block varies, rounding must not make anything.
        spread = np.where(blocks * squares > total * total * (1 + 1e-12), blocks * squares - total * total, 0.0)
        error = np.sqrt(spread / max(blocks - 1, 1)) / (blocks * games)
        centre = total / (blocks * games)
        return centre, centre - critical * error, centre + critical * error

    nothing = np.full(len(told), math.nan)
    found = dict(zip(("count", "count_low", "count_high"), mean(counts, sums[:, COUNT_SQUARES]), strict=True))
    if not kind.value:
        return found | dict.fromkeys(("value", "value_low", "value_high", "each", "each_low", "each_high"), nothing)
    found |= dict(zip(("value", "value_low", "value_high"), mean(values, sums[:, VALUE_SQUARES]), strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        each = values / counts
        error = _ratio_error(each, sums[:, VALUE_SQUARES], sums[:, PRODUCTS], sums[:, COUNT_SQUARES], counts, blocks)
    each = np.where(counts > 0, each, math.nan)
    error = np.where(told[:, USING] >= FEWEST_BLOCKS, error, math.nan)
    return found | {"each": each, "each_low": each - critical * error, "each_high": each + critical * error}


def _ratio_error(
    ratio: NDArray[np.float64],
    squares: NDArray[np.float64],
    products: NDArray[np.float64],
    base_squares: NDArray[np.float64],
    base: NDArray[np.float64],
    blocks: "int | NDArray[np.int64]",
) -> NDArray[np.float64]:
    """Return the standard error of a ratio of two sums over blocks (its linear approximation)."""
    spread = squares - 2 * ratio * products + ratio * ratio * base_squares
    spread = np.where(spread > 1e-12 * squares, spread, 0.0)
    count = np.asarray(blocks, np.float64)
    return np.asarray(np.sqrt(count / np.maximum(count - 1, 1) * spread) / base, np.float64)


def _critical(blocks: "int | NDArray[np.int64]", confidence: "float | NDArray[np.float64]") -> Any:
    """Return Student's quantile for an interval over so many blocks; nan below two."""
    from scipy.special import stdtrit

    freedom = np.asarray(blocks, np.float64) - 1
    return np.where(freedom >= 1, -stdtrit(np.maximum(freedom, 1), (1 - np.asarray(confidence)) / 2), math.nan)


def _gaps(wins: Sums, unit: int, confidence: float) -> dict[str, Any]:
    """Return the wins of those who used elements most and of the others, with intervals for all elements at once."""
    sums = wins.astype(np.float64)
    games, blocks = wins[:, UNEQUAL], wins[:, BLOCKS]
    enough = blocks >= FEWEST_BLOCKS
    # Which elements have enough depends on use alone, not on who won.
    each = 1 - (1 - confidence) / max(int(enough.sum()), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        more, less = sums[:, MORE] / games / unit, sums[:, LESS] / games / unit
        gap = more - less
        error = _ratio_error(
            gap,
            sums[:, GAP_SQUARES] / unit**2,
            sums[:, GAP_UNEQUAL] / unit,
            sums[:, UNEQUAL_SQUARES],
            sums[:, UNEQUAL],
            blocks,
        )
        half = _critical(blocks, each) * error
        # Without any spread: a share of 0 or 1 in as many trials.
        bound = 2 * ((1 - each) / 2) ** (1 / np.maximum(blocks, 1)) - 1
    alike = error == 0
    low = np.where(alike & (gap > 0), np.minimum(bound, gap), np.clip(gap - half, -1, 1))
    high = np.where(alike & (gap < 0), np.maximum(-bound, gap), np.clip(gap + half, -1, 1))
    low, high = np.where(enough, low, math.nan), np.where(enough, high, math.nan)
    verdict = np.select([~enough, low > 0, high < 0], ["too thin", "more wins", "fewer wins"], "undecided")
    return {
        "more": more,
        "less": less,
        "gap": gap,
        "gap_low": low,
        "gap_high": high,
        "games": games,
        "blocks": blocks,
        "verdict": verdict.tolist(),
    }


def _without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:z.2f}"


def _halves(rows: pl.DataFrame, measure: str) -> list[str]:
    return [_number(half) for half in (rows[f"{measure}_high"] - rows[f"{measure}_low"]) / 2]


def _board_text(kind: Kind, rows: pl.DataFrame) -> str:
    """Return the measures of a board as tables, in the board's own shape."""
    assert kind.board is not None
    down, across = kind.board.shape
    titles = {"count": kind.count, "value": kind.value, "each": f"{kind.value}, mean over all {kind.count_unit}"}
    told = []
    for measure in kind.shown:
        texts = [_number(value) for value in rows[measure]]
        columns = [(str(column + 1), texts[column::across]) for column in range(across)]
        names = [(name,) for name in kind.board.rows]
        told.append(f"{wrapped(titles[measure])}\n{wide_table(('',), names[:down], columns)}")
    return "\n\n".join(told)


# --- The verb --------------------------------------------------------------------------------------------------------


def elements(
    game: str | Game,
    strategies: "str | Strategy | Sequence[str | Strategy]",
    *,
    deals: int = 1_000,
    seed: int = 1,
    seats: int | None = None,
    opponents: "Sequence[str | Strategy]" = (),
    kinds: Sequence[str] | None = None,
    variant: "str | Rules | None" = None,
    confidence: float = 0.95,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> Elements:
    """Count what a game is made of: how often each element is used, what it earns, and whether its users win.

    Parameters
    ----------
    game
        The game's name.
    strategies
        One strategy or more. Each plays against itself, all on the same deals.
    deals, seed
        Which deals; each is a block.
    seats
        Seats at the table; by default the fewest that the rules allow, from two on (who is alone wins whatever it
        uses), or one more than there are opponents.
    opponents
        Others at the table: then each strategy sits with these, under all rotations, and its own seats are told.
    kinds
        Tell these kinds of elements only; by default all that the game has.
    variant
        The name of a variant, or a rules object.
    confidence
        Of all intervals, between 0 and 1.
    n_jobs, backend, progress
        See `sims.run.run`; none of them changes the result.

    Returns
    -------
    Elements

    Raises
    ------
    UsageError, StrategyError
        As they say.
    """
    check_confidence(confidence)
    found = find_game(game)
    rules = found.resolve_rules(variant)
    named = [strategies] if isinstance(strategies, str | Strategy) else list(strategies)
    chosen = [find_strategy(found.name, spec) for spec in named]
    specs = [strategy.spec for strategy in chosen]
    if not chosen:
        raise UsageError("elements of whose games? give one strategy or more")
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is given twice: give each strategy once")
    others = [find_strategy(found.name, spec) for spec in opponents]
    if seats is None:
        allowed = found.seat_numbers(rules)
        seats = len(others) + 1 if others else next((number for number in allowed if number > 1), allowed[0])
    check_whole("seats", seats, *found.seats)
    if others and seats != len(others) + 1:
        raise UsageError(f"{len(others)} opponents and one strategy make {len(others) + 1} seats, not {seats}")
    check_whole("deals", deals, 1, MOST_DEALS)
    lineups = tuple(
        tuple(one.player() for one in (strategy, *others)) if others else (strategy.player(),) * seats
        for strategy in chosen
    )
    design = Design(found, rules, lineups, seed=seed, deals=deals, rotate=bool(others))
    seatings = [np.array(design.seatings(lineup)) for lineup in range(len(lineups))]
    tellings = tuple(
        Telling(spec, lineup, seatings[lineup] == 0 if others else np.ones(seatings[lineup].shape, bool))
        for lineup, spec in enumerate(specs)
    )
    asked = Asked(design, find_kinds(found, rules, seats, kinds), tellings)
    sums, seconds, games = play_and_count(asked, n_jobs=n_jobs, backend=backend, progress=progress)
    return Elements(asked, sums, confidence, seconds, games)


# --- Recorded games --------------------------------------------------------------------------------------------------


def elements_of_records(
    frame: "pl.DataFrame | pd.DataFrame", *, kinds: Sequence[str] | None = None, confidence: float = 0.95
) -> Elements:
    """Count the elements of recorded games.

    Parameters
    ----------
    frame
        Records of one line-up, as `analysis.records.record_games` and `balance` make them, for Polars or pandas.
    kinds, confidence
        See `elements`.

    Returns
    -------
    Elements
        Of every strategy of the line-up. With several of them, the association is that of the whole table, so that it
        also carries who is the better player.

    Raises
    ------
    UsageError
        When there is no record; when they are of several games, rules, seeds or line-ups, or of some rotations of a
        deal only; and when a strategy does not play as it did when its games were recorded.

    Notes
    -----
    A record holds who played which deal; what is counted is read from the same games, played again, and their outcomes
    are checked against the recorded ones.
    """
    check_confidence(confidence)
    rows = to_polars(frame, "the frame of records", row="game", columns=list(SCHEMA))
    for column in ("game", "rules_version", "rules", "seed"):
        if rows[column].n_unique() > 1:
            raise UsageError(f"the records differ in {column}: give those of one run")
    found = find_game(rows["game"][0])
    rules = found.rules().replace(**json.loads(rows["rules"][0]))
    if rows["rules_version"][0] != found.rules_version:
        raise UsageError(
            f"the records are of rules version {rows['rules_version'][0]}, and {found.name} is at {found.rules_version}"
        )
    seats = len(rows["seats"][0])
    rotations = found.rotate(rules, seats)
    played = sorted(rows["rotation"].unique().to_list())
    if played not in ([0], list(range(len(rotations)))):
        raise UsageError("the records have some rotations of the line-up only: give all of them, or the first alone")
    lineup: dict[int, str] = {}
    for rotation, specs in rows.select("rotation", "seats").iter_rows():
        for seat, who in enumerate(rotations[rotation]):
            if lineup.setdefault(who, specs[seat]) != specs[seat]:
                raise UsageError("the records are of several line-ups: give those of one")
    specs = [lineup[who] for who in range(seats)]
    strategies = [find_strategy(found.name, spec) for spec in specs]
    recorded = {
        (deal, rotation): outcome for deal, rotation, outcome in rows.select("deal", "rotation", "outcome").iter_rows()
    }
    deals = sorted({deal for deal, _ in recorded})
    if len(recorded) != len(rows) or len(recorded) != len(deals) * len(played):
        raise UsageError("the records do not have every deal once under each rotation: give whole deals")
    design = Design(
        found,
        rules,
        (tuple(strategy.player() for strategy in strategies),),
        seed=int(rows["seed"][0]),
        deals=deals[-1] - deals[0] + 1,
        first_deal=deals[0],
        rotate=len(played) > 1,
    )
    seating = np.array([[specs[who] for who in turned] for turned in design.seatings(0)])
    tellings = tuple(Telling(spec, 0, seating == spec) for spec in dict.fromkeys(specs))
    asked = Asked(design, find_kinds(found, rules, seats, kinds), tellings)
    started, sums = time.perf_counter(), None
    for first, count in _runs(deals):
        outcomes, logs = log_deals(design, 0, first, count)
        for rotation, (outcome, log) in enumerate(zip(outcomes, logs, strict=True)):
            for place in range(count):
                told = json.dumps(found.results(rules, log[place], outcome[place]))
                if told != recorded[first + place, rotation]:
                    raise UsageError(
                        f"deal {first + place} does not end as recorded: a strategy has changed since; record it anew"
                    )
        more = asked.count(0, outcomes, logs)
        sums = more if sums is None else sums + more
    assert sums is not None
    return Elements(asked, (sums,), confidence, time.perf_counter() - started, len(recorded))


def _runs(deals: Sequence[int]) -> list[tuple[int, int]]:
    """Return ascending deals as runs of neighbours, of `BATCH` at most: first and how many."""
    runs: list[tuple[int, int]] = []
    for deal in deals:
        if runs and sum(runs[-1]) == deal and runs[-1][1] < BATCH:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((deal, 1))
    return runs
