"""Balance: is the game fair to its seats, how does it run, how much is skill, and what does each kind of move matter.

Counts over all deals give seat shares, ties and length. Records of a sample of them give the course of a game (see
`analysis.records`). A field of players, each in the first player's place on the same deals, gives the skill ladder, the
price of every restriction, and the split of scores into luck and skill.
"""

import dataclasses
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.comparisons import FEWEST_BLOCKS
from analysis.frames import defined
from analysis.histogram import Histogram
from analysis.intervals import Interval, mean_interval, share_interval
from analysis.ladders import Field, Ladder, play_field
from analysis.records import METRICS, choices_by_turn, end_reasons, measure, record_games, save_records, summarise
from analysis.seats import MARGIN, BalanceCounts, Seats, count_balance, seat_balance
from analysis.tables import WIDTH
from sims.design import LARGEST_DEALS, Design, check_whole
from sims.errors import UsageError
from sims.game import Game, Rules, find_game
from sims.run import run
from strategies.api import Strategy
from strategies.specs import builtin_strategies, find_strategy

if TYPE_CHECKING:
    import pandas as pd


LABELS = {
    "turns": "turns",
    "decided_at": "decided at turn",
    "decided_share": "decided after, of all turns",
    "lead_changes": "lead changes",
    "winner_behind": "winner behind, of all turns",
    "drama": "drama: mean deficit",
    "largest_deficit": "largest deficit",
    "decisions": "decisions of all seats",
    "choices_a_decision": "choices a decision",
    "forced": "decisions without a choice",
}
SHARES = ("decided_share", "winner_behind", "forced")
DEFICITS = ("drama", "largest_deficit")


# --- The result ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Balance:
    """What `balance` found.

    Attributes
    ----------
    design
        What was played.
    counts
        The exact counts of all deals.
    seats
        The verdict on the seats; None for one seat.
    records
        The records of the sample, one row a game.
    field
        Ladder, restrictions, luck and skill; None when no deals were asked for.
    seconds, games
        How long it took, and the games that were played for the seats.
    caveats
        What the players' authors say has to be kept in mind, by spec.
    """

    design: Design
    counts: BalanceCounts
    seats: Seats | None
    records: pl.DataFrame
    field: Field | None
    seconds: float
    games: int
    caveats: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def rotations(self) -> int:
        """The rotations of a deal that were played: one when all players are alike."""
        return self.counts.scores.scale

    def games_with(self, per_block: Histogram) -> tuple[float, Interval]:
        """Return the share of games that a histogram by block counts, and its interval (over blocks)."""
        if self.rotations == 1:
            return per_block.mean, share_interval(per_block.score_sum, per_block.total)
        ends = mean_interval(per_block)
        return per_block.mean / self.rotations, Interval(ends.low / self.rotations, ends.high / self.rotations)

    def length(self) -> dict[str, float] | None:
        """Return mean, interval and quantiles of the turns of a game, from all games; None when it does not tell."""
        if not self.counts.lengths.total:
            return None
        ends = mean_interval(self.counts.block_lengths)
        lengths = self.counts.lengths
        return {
            "mean": lengths.mean,
            "low": ends.low / self.rotations,
            "high": ends.high / self.rotations,
            "q05": lengths.quantile(0.05),
            "median": lengths.median,
            "q95": lengths.quantile(0.95),
        }

    def lengths(self) -> pl.DataFrame:
        """Return how many games had how many turns: columns `turns` and `count`.

        Of all games when the outcome tells, else of the sample; no rows when neither does.
        """
        counts = self.counts.lengths.to_dict()
        if not counts:
            known = measure(self.records, {"turns": METRICS["turns"]})["turns"].drop_nulls().cast(pl.Int64)
            counts = dict(sorted(Counter(known.to_list()).items()))
        schema = {"turns": pl.Int64, "count": pl.Int64}
        return pl.DataFrame({"turns": list(counts), "count": list(counts.values())}, schema=schema)

    def end_reasons(self) -> dict[str, int]:
        """Return games by the reason why they ended: from all games when an outcome column tells, else the sample."""
        reasons = self.design.game.end_reasons
        if reasons:
            return {reasons[value]: count for value, count in self.counts.ends.to_dict().items()}
        return end_reasons(self.records)

    def course(self) -> pl.DataFrame:
        """Return the metrics of the sample, a row a metric; see `analysis.records.summarise`."""
        return summarise(measure(self.records))

    def summary(self) -> pl.DataFrame:
        """Return all figures in one tidy frame: `section`, `item`, `value`, `low`, `high`, `blocks`."""
        rows: list[tuple[str, str, float, float, float, int]] = []
        blocks = self.design.deals
        for share in self.seats.shares if self.seats else ():
            rows.append(("wins", share.name, *share[2:5], blocks))
        for share in self.seats.shares if self.seats else ():
            unit = self.design.game.score_unit
            rows.append((f"{unit} ahead of the others", share.name, *share[5:8], blocks))
        for name, histogram in (("shared wins", self.counts.shared), ("no winner", self.counts.unwon)):
            value, ends = self.games_with(histogram)
            rows.append(("games", name, value, ends.low, ends.high, blocks))
        length = self.length()
        if length:
            rows.append(("games", "length", length["mean"], length["low"], length["high"], blocks))
        for item in self.course().iter_rows(named=True):
            rows.append(("course", item["metric"], item["mean"], item["low"], item["high"], item["blocks"]))
        if self.field:
            for cause, part in self.field.split.shares.items() if self.field.split else ():
                rows.append(("variance", cause, part, math.nan, math.nan, self.field.players.blocks))
            for section, found in (("noise ladder", self.field.noise), ("player ladder", self.field.players)):
                rows += [(section, rung.strategy, rung.mean, rung.low, rung.high, found.blocks) for rung in found.rungs]
            for loss in self.field.losses:
                rows.append(("loss by restriction", *loss[:4], self.field.players.blocks))
        numbers = ("value", "low", "high")
        schema = {"section": pl.String, "item": pl.String, **dict.fromkeys(numbers, pl.Float64), "blocks": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(numbers).fill_nan(None))

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as JSON values; what is not defined is null."""
        shared, shared_ends = self.games_with(self.counts.shared)
        unwon, unwon_ends = self.games_with(self.counts.unwon)
        field = self.field
        told = {
            "verdict": self.seats.verdict if self.seats else None,
            "margin": self.seats.margin if self.seats else None,
            "method": self.seats.method if self.seats else None,
            "fair_share": self.seats.fair if self.seats else None,
            "seats": [share._asdict() for share in self.seats.shares] if self.seats else [],
            "shared_wins": {"share": shared, **shared_ends._asdict()},
            "no_winner": {"share": unwon, **unwon_ends._asdict()},
            "length": self.length(),
            "end_reasons": self.end_reasons(),
            "sample": len(self.records),
            "course": self.course().to_dicts(),
            "choices_by_turn": choices_by_turn(self.records).to_dicts(),
            "variance": {
                "shares": field.split.shares,
                "luck": field.split.luck,
                "skill": field.split.skill,
            }
            if field and field.split
            else None,
            "noise_ladder": _ladder_dict(field.noise) if field else None,
            "player_ladder": _ladder_dict(field.players) if field else None,
            "restrictions": [loss._asdict() for loss in field.losses] if field else [],
            "caveats": dict(self.caveats),
            "seed": self.design.seed,
            "rules_version": self.design.game.rules_version,
            "design": self.design.to_dict(),
        }
        return dict(defined(told))

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        parts = [self._seats_text(), self._games_text(), self._course_text()]
        if self.field:
            parts += [
                self._variance_text(),
                self._ladder_text("Skill: random moves instead of its own", self.field.noise),
                self._ladder_text("Skill: different players", self.field.players),
                self._losses_text(),
            ]
        return "\n\n".join(part for part in parts if part)

    def _seats_text(self) -> str:
        players = ", ".join(player.spec for player in self.design.lineups[0])
        turns = f"played under {self.rotations} rotations"
        if self.rotations == 1:
            turns = "played once" if self.seats is None else "played once as all players are alike"
        head = _wrap(
            f"{self.design.game.title}, rules version {self.design.game.rules_version}: {players}; "
            f"{_deals(self.design.deals)} of seed {self.design.seed}, {turns}."
        )
        if self.seats is None:
            return head
        rows: list[tuple[str, ...]] = [
            (
                share.name,
                _percent(share.wins),
                _span(share.low, share.high, _percent),
                _points(share.points),
                _span(share.points_low, share.points_high, _points),
            )
            for share in self.seats.shares
        ]
        headers: tuple[str, ...] = ("", "wins", "95 % interval", "points ahead of others", "95 % interval")
        won = self.design.game.score_is_win
        if won:  # points would say the same once more
            headers, rows = headers[:3], [row[:3] for row in rows]
        note = "Intervals hold for all seats at once: max-t over blocks, each of them one deal under all rotations."
        if self.seats.method == "goodman":
            note = "Intervals hold for all seats at once: Goodman's for wins, as the games are independent"
            note += "." if won else "; max-t over blocks for points."
        warnings = [_wrap(f"Mind {spec}: {caveat}.") for spec, caveat in self.caveats.items()]
        sentence = _wrap(self._seats_sentence(self.seats))
        return "\n\n".join([head, sentence, *warnings, _table(headers, rows), _wrap(note)])

    def _seats_sentence(self, seats: Seats) -> str:
        margin, fair = f"{100 * seats.margin:.10g} %", _percent(seats.fair)
        sides = self.design.game.in_teams(self.design.rules, len(self.design.lineups[0]))
        what = "sides" if sides else "seats"
        if self.design.deals < FEWEST_BLOCKS:
            few = f"{_deals(self.design.deals)} cannot carry a verdict: that takes {FEWEST_BLOCKS}."
            return f"{what.capitalize()} undecided: {few}"
        if seats.verdict == "fair":
            return f"The {what} are fair: every share of wins is within {margin} of {fair}."
        off = [share for share in seats.shares if share.low > seats.fair or share.high < seats.fair]
        worst = max(off or seats.shares, key=lambda share: abs(share.wins - seats.fair))
        who = f"the {worst.name} team" if sides else worst.name
        found = f"{who} wins {_percent(worst.wins)} ({_span(worst.low, worst.high, _percent)})"
        if seats.verdict == "unfair":
            return f"The {what} are unfair: {found}; {fair} would be fair."
        more = "More deals would narrow the interval."
        return f"{what.capitalize()} undecided: {found}; fair is {fair}, the margin {margin}. {more}"

    def _games_text(self) -> str:
        rows: list[tuple[str, ...]] = []
        for name, histogram in (("shared wins", self.counts.shared), ("no winner", self.counts.unwon)):
            if histogram.tail(1) > 0 or (name == "shared wins" and self.seats is not None):
                value, ends = self.games_with(histogram)
                rows.append((name, _percent(value), _span(ends.low, ends.high, _percent), "", "", ""))
        length = self.length()
        if length:
            quantiles = (f"{length[key]:g}" for key in ("q05", "median", "q95"))
            rows.append(("turns", _points(length["mean"]), _span(length["low"], length["high"], _points), *quantiles))
        reasons = self.end_reasons()
        rows += [
            (f"ended by {reason}", _percent(count / sum(reasons.values())), "", "", "", "")
            for reason, count in reasons.items()
        ]
        return _table(("all games", "mean", "95 % interval", "q05", "median", "q95"), rows) if rows else ""

    def _course_text(self) -> str:
        course = self.course()
        if course.is_empty():
            return ""
        rows = []
        for item in course.iter_rows(named=True):
            if item["metric"] == "turns" and self.counts.lengths.total:
                continue  # told from all games
            label = LABELS[item["metric"]]
            if item["metric"] in DEFICITS:
                label += f", {self.design.game.standing_unit}"
            shown = _percent if item["metric"] in SHARES else _points
            quantiles = (shown(item[key]).removesuffix(" %").removesuffix(".00") for key in ("q05", "median", "q95"))
            rows.append((label, shown(item["mean"]), _span(item["low"], item["high"], shown), *quantiles))
        heading = f"{len(self.records):,} games from their records"
        return _table((heading, "mean", "95 % interval", "q05", "median", "q95"), rows)

    def _variance_text(self) -> str:
        if not (self.field and self.field.split):
            return ""
        split = self.field.split
        rows = [(cause, _percent(part)) for cause, part in split.shares.items()]
        luck = "deal" if self.seats is None else "deal, seat, both"
        note = (
            f"Luck ({luck}) {_percent(split.luck)}, skill (strategy) {_percent(split.skill)}; the rest depends on what "
            "meets what, and on chance in play."
        )
        count = len(self.field.players.rungs)
        return f"{_table((f'variance of the scores of {count} players', 'share'), rows)}\n\n{_wrap(note)}"

    @property
    def _shown(self) -> Callable[[float], str]:
        """How scores are written: as shares where they are wins."""
        return _percent if self.design.game.score_is_win else _points

    def _ladder_text(self, title: str, found: Ladder) -> str:
        if len(found.rungs) < 2:
            return ""
        shown = self._shown
        rows: list[tuple[str, ...]] = [
            (
                rung.strategy,
                _points(rung.mean),
                _percent(rung.wins),
                shown(rung.ahead),
                _span(rung.ahead_low, rung.ahead_high, shown),
                "-" if rung.level is None else str(rung.level),
            )
            for rung in found.rungs
        ]
        headers: tuple[str, ...] = ("strategy", "points", "wins", "ahead of next", "95 % interval", "level")
        # Everybody wins alone; and where the score is the win, it would be told twice.
        left_out = 2 if self.seats is None else 1 if self.design.game.score_is_win else None
        if left_out is not None:
            headers, *rows = (row[:left_out] + row[left_out + 1 :] for row in (headers, *rows))
        note = f"{_deals(found.blocks)} cannot tell levels apart: that takes {FEWEST_BLOCKS}."
        if found.levels is not None:
            note = f"{len(rows)} players, {found.levels} distinguishable levels on {_deals(found.blocks)}."
        return f"{title}\n\n{_table(headers, rows)}\n\n{_wrap(note)}"

    def _losses_text(self) -> str:
        if not (self.field and self.field.losses):
            return ""
        base = self.design.lineups[0][0].spec
        shown = self._shown
        rows = [
            (loss.restriction, shown(loss.loss), _span(loss.low, loss.high, shown), loss.verdict)
            for loss in self.field.losses
        ]
        what = "loses of its share of wins" if self.design.game.score_is_win else "loses in points a game"
        note = f"What {base} {what} when it never makes such a move, if it has another."
        return f"{_table(('restriction', 'loss', '95 % interval', 'verdict'), rows)}\n\n{_wrap(note)}"


def _ladder_dict(found: Ladder) -> dict[str, Any]:
    rungs = [rung._asdict() for rung in found.rungs]
    return {"levels": found.levels, "blocks": found.blocks, "rungs": rungs}


def _deals(count: int) -> str:
    return "1 deal" if count == 1 else f"{count:,} deals"


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:z.2f} %"


def _points(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:z.2f}"


def _span(low: float, high: float, shown: Any) -> str:
    return "-" if math.isnan(low) else f"{shown(low).removesuffix(' %')} to {shown(high)}"


def _wrap(text: str) -> str:
    joined = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return textwrap.fill(joined, WIDTH, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as text, the first column wrapped so that all fit, the others to the right."""
    widths = [max(len(row[place]) for row in (headers, *rows)) for place in range(len(headers))]
    first = min(widths[0], WIDTH - sum(width + 2 for width in widths[1:]))
    lines = []
    for row in (headers, ["-" * first, *("-" * width for width in widths[1:])], *rows):
        parts = textwrap.wrap(row[0], first, break_on_hyphens=False) or [""]
        numbers = "".join(f"  {text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        lines += [f"{parts[0]:<{first}}{numbers}".rstrip(), *parts[1:]]
    return "\n".join(lines)


# --- The verb --------------------------------------------------------------------------------------------------------


def balance(
    game: str | Game,
    lineup: "str | Strategy | Sequence[str | Strategy]",
    *,
    deals: int = 100_000,
    seed: int = 1,
    variant: "str | Rules | None" = None,
    margin: float = MARGIN,
    sample: int = 1_000,
    ladder_deals: int = 2_000,
    levels: "Sequence[str | Strategy] | None" = None,
    records: Path | str | None = None,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    progress: bool = True,
) -> Balance:
    """Measure how balanced a game is, and how it runs, between given players.

    Parameters
    ----------
    game
        The game's name.
    lineup
        Who sits at the table. When all are alike each deal is played once, as to turn the table would change nothing;
        otherwise each deal is played under all rotations.
    deals, seed
        Which deals.
    variant
        The name of a variant, or a rules object.
    margin
        The difference from a fair share of wins that does not matter, from 0 to 1.
    sample
        How many of the deals are recorded, for the course of a game; 0 for none.
    ladder_deals
        How many of the deals the field of players plays (see `play_field`), the most laborious part; 0 for none.
    levels
        The players to put on the ladder; by default all built-in ones.
    records
        A Parquet file to save the records to.
    n_jobs, backend, store, progress
        See `simulate`; the store keeps the games that the seats are judged by.

    Returns
    -------
    Balance

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    found = find_game(game)
    rules = found.resolve_rules(variant)
    if isinstance(lineup, str | Strategy):
        lineup = [lineup]
    chosen = [find_strategy(found.name, spec) for spec in lineup]
    others = builtin_strategies(found.name) if levels is None else [find_strategy(found.name, one) for one in levels]
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin <= 1:
        raise UsageError(f"margin={margin!r} does not fit: it takes a share of wins from 0 to 1, such as 0.01")
    check_whole("sample", sample, 0, LARGEST_DEALS)
    check_whole("ladder_deals", ladder_deals, 0, LARGEST_DEALS)
    alike = len({strategy.digest for strategy in chosen}) == 1
    players = tuple(strategy.player() for strategy in chosen)
    design = Design(found, rules, (players,), seed=seed, deals=deals, rotate=not alike)
    played = run(design, count_balance, n_jobs=n_jobs, backend=backend, store=store, progress=progress)
    recorded = record_games(design, sample)
    if records is not None:
        save_records(recorded, records)
    ladders = None
    if ladder_deals:
        few = dataclasses.replace(design, deals=min(deals, ladder_deals))
        ladders = play_field(few, chosen[0], others, n_jobs=n_jobs, backend=backend, progress=progress)
    seats = seat_balance(played.result, margin) if len(chosen) > 1 else None
    caveats = {strategy.spec: strategy.caveat for strategy in chosen if strategy.caveat}
    return Balance(design, played.result, seats, recorded, ladders, played.seconds, played.games, caveats)
