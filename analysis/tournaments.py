"""Tournaments: which line-ups many strategies play on the same deals, and what is counted of a block.

All that is kept are whole numbers (and counts of finishing orders), so that adding the parts of a run is exact in any
order. A block is one deal with all line-ups and rotations.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.grids import exact_moments
from analysis.matches import make_match
from analysis.simultaneous import Moments
from sims import chance
from sims.bits import Word
from sims.design import CHUNK, Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import RANK, SCORE, WIN, WIN_UNIT, Game, near_misses
from sims.table import Player

Format = Literal["solo", "round-robin", "one-against-all", "tables"]
Measure = Literal["score", "win"]
FORMATS: tuple[Format, ...] = get_args(Format)
MEASURES: tuple[Measure, ...] = get_args(Measure)

LINEUPS = 60
"""So many line-ups of "tables" are played when the user names no budget."""

LINEUP_PURPOSE = 2**16
"""What the draws of line-ups are for; no game numbers its own purposes so high."""

GROUPS = 64
"""Finishing orders are counted in so many groups of blocks, whose spread is that of the ratings."""

Totals = NDArray[np.int64]  # shape (strategies, deals)


# --- Who meets whom --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tournament:
    """The line-ups of a block, by the numbers of the strategies.

    Attributes
    ----------
    game, rules, seats, format
        What is played, and how.
    strategies
        The number of strategies, K.
    lineups
        Which strategy has each place, before rotation.
    own
        Whether a place counts for the mean of its strategy; the others are there as opponents.
    """

    game: Game
    rules: Any
    seats: int
    format: Format
    strategies: int
    lineups: tuple[tuple[int, ...], ...]
    own: tuple[tuple[bool, ...], ...]

    @property
    def direct(self) -> bool:
        """Whether every two strategies meet in line-ups of their own."""
        return self.format in ("round-robin", "one-against-all")

    @property
    def scale(self) -> int:
        """The number of seat-games that each strategy has in a block."""
        return sum(
            lineup[place] == 0 and own[place]
            for lineup, own in zip(self.lineups, self.own, strict=True)
            for seating in self.game.rotate(self.rules, self.seats)
            for place in seating
        )

    @property
    def meetings(self) -> int:
        """How often two strategies are compared in a block: once over all of it, or each time that they meet."""
        if not self.direct:
            return 1
        seated = [
            [lineup[place] for place in seating]
            for lineup in self.lineups
            for seating in self.game.rotate(self.rules, self.seats)
        ]
        return sum(table.count(0) * table.count(1) for table in seated)

    @property
    def parties(self) -> int:
        """How many can win a game: the seats, or the sides at a table of teams."""
        return len(self.game.parties(self.rules, self.seats))

    def value_unit(self, measure: Measure) -> int:
        """Return what block totals of a measure are divided by, beside the seat-games."""
        if measure == "score":
            return 1
        return 2 * (self.strategies - 1) if self.format == "solo" else WIN_UNIT

    def seated(self, players: Sequence[Player]) -> tuple[tuple[Player, ...], ...]:
        """Return the line-ups of a design."""
        return tuple(tuple(players[who] for who in lineup) for lineup in self.lineups)

    def only(self, chosen: Sequence[int], measure: Measure) -> "Tournament":
        """Return the line-ups that the means of some strategies need; the others stay their opponents."""
        if self.format == "solo" and measure == "win":
            return self  # wins are those against all others on the deal
        kept = [
            (lineup, own)
            for lineup, own in zip(self.lineups, self.own, strict=True)
            if any(mine and who in chosen for who, mine in zip(lineup, own, strict=True))
        ]
        return dataclasses.replace(self, lineups=tuple(line for line, _ in kept), own=tuple(own for _, own in kept))


def resolve_format(game: Game, rules: Any, format: str, seats: int | None, strategies: int) -> tuple[Format, int]:
    """Choose what the user left open.

    Parameters
    ----------
    game, rules
        What is played.
    format
        One of `FORMATS`, or "auto": solo for one seat, a round robin for two parties (seats, or teams); with more,
        tables of different strategies where there are enough of them, else a round robin.
    seats
        Seats at the table, or None for the fewest that fit.
    strategies
        The number of strategies.

    Returns
    -------
    tuple
        The format and the seats.

    Raises
    ------
    UsageError
        When they do not fit together or to the game.
    """
    known = ("auto", *FORMATS)
    if format not in known:
        raise UsageError(f"unknown format {format!r}{near_misses(format, known)}")
    if seats is None:
        numbers = game.seat_numbers(rules)
        several = min((number for number in numbers if number > 1), default=2)
        seats = 1 if format == "solo" else numbers[0] if format == "auto" else several
    seats = check_whole("seats", seats, *game.seats)
    game.check_seats(seats, rules)
    if format == "auto":
        parties = len(game.parties(rules, seats))
        format = "solo" if seats == 1 else "tables" if strategies >= parties > 2 else "round-robin"
    if (format == "solo") != (seats == 1):
        raise UsageError(f"format={format} does not fit seats={seats}: solo is for 1, the others for 2 or more")
    return next(item for item in FORMATS if item == format), seats


def make_tournament(
    game: Game, rules: Any, strategies: int, format: Format, seats: int, *, lineups: int | None = None, seed: int = 1
) -> Tournament:
    """Return the line-ups of a tournament; at a table of teams, every team plays one strategy.

    Parameters
    ----------
    game, rules
        What is played.
    strategies
        The number of strategies, 2 or more.
    format, seats
        See `resolve_format`.
    lineups
        For "tables": the most line-ups that are played; by default 60, or one a strategy when there are more.
    seed
        What a choice of line-ups depends on.

    Raises
    ------
    UsageError
        When there are fewer than two strategies, or too few line-ups to treat all alike.
    """
    if strategies < 2:
        raise UsageError(f"a ranking needs two strategies or more, not {strategies}")
    chosen: list[tuple[tuple[int, ...], tuple[bool, ...]]]
    if format == "solo":
        chosen = [((who,), (True,)) for who in range(strategies)]
    elif format == "tables":
        chosen = [(line, (True,) * seats) for line in choose_tables(game, rules, strategies, seats, lineups, seed)]
    elif format == "one-against-all" and len(game.parties(rules, seats)) > 2:
        lone = tuple(party == 0 for party in game.party_of(rules, seats))
        pairs = itertools.permutations(range(strategies), 2)
        chosen = [(tuple(a if alone else b for alone in lone), lone) for a, b in pairs]
    else:  # a table of two with one against all is that of a round robin
        anyone = [Player(f"{who}", f"{who}") for who in range(strategies)]
        chosen = [
            (tuple(a if side > 0 else b for side in sides), (True,) * seats)
            for a, b in itertools.combinations(range(strategies), 2)
            for sides in make_match(game, rules, anyone[a], anyone[b], seats, ()).sides
        ]
    lines, own = tuple(line for line, _ in chosen), tuple(mine for _, mine in chosen)
    return Tournament(game, rules, seats, format, strategies, lines, own)


def _turns_of_parties(game: Game, rules: Any, seats: int) -> list[tuple[int, ...]]:
    """Return in how many ways turning the table seats the parties: which party's players sit where each party sat."""
    party, firsts = game.party_of(rules, seats), game.parties(rules, seats).values()
    return list(dict.fromkeys(tuple(party[turn[seat]] for seat in firsts) for turn in game.rotate(rules, seats)))


def possible_tables(game: Game, rules: Any, strategies: int, seats: int) -> int:
    """Return how many tables of different strategies cover all seat permutations; 0 with too few strategies."""
    turns = _turns_of_parties(game, rules, seats)
    return math.perm(strategies, len(turns[0])) // len(turns)


def choose_tables(
    game: Game, rules: Any, strategies: int, seats: int, most: int | None, seed: int
) -> list[tuple[int, ...]]:
    """Choose tables at which all strategies sit equally often.

    Parameters
    ----------
    game, rules, strategies, seats
        What is played; with fewer strategies than seats (or teams), some have two or more of them.
    most
        The most line-ups; None for 60, or one a strategy when there are more.
    seed
        What the choice depends on.

    Returns
    -------
    list of tuple of int
        All seat permutations where they are at most `most`. Else the tables of neighbours in one random circle of all
        strategies after another, as many whole circles as fit: in a circle everybody begins one table.

    Raises
    ------
    UsageError
        When not even one circle fits.
    """
    most = max(LINEUPS, strategies) if most is None else check_whole("lineups", most, 1, 1_000_000)
    turns, party = _turns_of_parties(game, rules, seats), game.party_of(rules, seats)
    parties = len(turns[0])

    def distinct(lines: Iterable[tuple[int, ...]]) -> dict[frozenset[tuple[int, ...]], tuple[int, ...]]:
        kept: dict[frozenset[tuple[int, ...]], tuple[int, ...]] = {}
        for line in lines:
            kept.setdefault(frozenset(tuple(line[who] for who in turn) for turn in turns), line)
        return kept

    def seated(lines: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
        return [tuple(line[one] for one in party) for line in lines]

    if 0 < possible_tables(game, rules, strategies, seats) <= most:
        every = distinct(itertools.permutations(range(strategies), parties))
        if len(every) <= most:
            return seated(every.values())
    found: dict[frozenset[tuple[int, ...]], tuple[int, ...]] = {}
    for number in range(most):
        order = _random_order(strategies, seed, number)
        circle = distinct(
            tuple(order[(start + at) % strategies] for at in range(parties)) for start in range(strategies)
        )
        if len(found) + len(circle) > most:
            break
        if not found.keys() & circle.keys():  # a part of a circle would seat some more often than others
            found.update(circle)
    if not found:
        raise UsageError(f"lineups={most} are too few to seat all alike: {strategies} strategies need {len(circle)}")
    return seated(found.values())


def _random_order(count: int, seed: int, number: int) -> list[int]:
    key = Word(chance.deal_key(Word(seed), Word(number))) ^ (Word(LINEUP_PURPOSE) << Word(8))
    draws = [int(chance.finalize(key ^ Word(who))) for who in range(count)]
    return sorted(range(count), key=draws.__getitem__)


# --- What is counted -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairs:
    """How every two strategies A and B compare, in the order of `itertools.combinations`; adding two merges blocks.

    Attributes
    ----------
    sums, squares
        Per pair: the sums over blocks of the value of A against B, and of its square. The value of a block is, where
        they meet, what A's seats have more than B's, over all pairs of seats and in the unit of the measure; else 1
        when A has more over the whole block, −1 when B has.
    leads
        Per pair: how often A finished before B, minus how often B did before A, over all blocks and meetings.
    lead_squares
        Per pair: the sum over blocks of the square of the same for one block.
    cyclic
        The sum over blocks of K times the squared values that no ratings explain.
    """

    sums: tuple[int, ...]
    squares: tuple[int, ...]
    leads: tuple[int, ...]
    lead_squares: tuple[int, ...]
    cyclic: int

    def __add__(self, other: "Pairs") -> "Pairs":
        """Return both sets of blocks together."""

        def both(one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(first + second for first, second in zip(one, two, strict=True))

        return Pairs(
            both(self.sums, other.sums),
            both(self.squares, other.squares),
            both(self.leads, other.leads),
            both(self.lead_squares, other.lead_squares),
            self.cyclic + other.cyclic,
        )


@dataclass(frozen=True, eq=False)
class Orders:
    """How often each finishing order occurred, by group of blocks, line-up and (with two parties) who sat first.

    Attributes
    ----------
    keys, counts
        What occurred, increasing, and how often; see `read_orders`.
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __add__(self, other: "Orders") -> "Orders":
        """Return both sets of blocks together."""
        keys, place = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return Orders(keys, counts)


@dataclass(frozen=True, eq=False)
class Counts:
    """All that a ranking is made of; adding two merges blocks.

    Attributes
    ----------
    scores, wins
        The exact moments of the block totals of all strategies. A win is 840; in solo games it is 2 for each other
        strategy that scored less on the deal, and 1 for each that scored the same.
    pairs
        How every two compare.
    orders
        The finishing orders; empty in solo games.
    """

    scores: Moments
    wins: Moments
    pairs: Pairs
    orders: Orders

    def __add__(self, other: "Counts") -> "Counts":
        """Return both sets of blocks together."""
        return Counts(
            self.scores + other.scores,
            self.wins + other.wins,
            self.pairs + other.pairs,
            self.orders + other.orders,
        )


def count_tournament(
    design: Design, chunk: int, outcomes: Sequence[Outcomes], *, tournament: Tournament, measure: Measure
) -> Counts:
    """Count one chunk of a tournament."""
    scores = block_totals(design, outcomes, tournament, SCORE)
    wins = solo_wins(scores) if tournament.format == "solo" else block_totals(design, outcomes, tournament, WIN)
    if tournament.direct:
        pairs = _count_meetings(design, outcomes, tournament, WIN if measure == "win" else SCORE)
    else:
        # Alone on a deal, who has more points has more wins.
        pairs = _compare_totals(wins if measure == "win" and tournament.format != "solo" else scores)
    return Counts(
        _moments(scores, tournament.scale),
        _moments(wins, tournament.scale),
        pairs,
        _count_orders(design, chunk, outcomes),
    )


def count_chosen(
    design: Design,
    chunk: int,
    outcomes: Sequence[Outcomes],
    *,
    tournament: Tournament,
    measure: Measure,
    chosen: tuple[int, ...],
    scale: int,
) -> Moments:
    """Return the moments of the block totals of some strategies, in one chunk of the line-ups that they need."""
    solo = tournament.format == "solo"
    totals = block_totals(design, outcomes, tournament, WIN if measure == "win" and not solo else SCORE)
    if solo and measure == "win":
        totals = solo_wins(totals)
    return _moments(totals[list(chosen)], scale)


def block_totals(design: Design, outcomes: Sequence[Outcomes], tournament: Tournament, column: int) -> Totals:
    """Add up a column of the outcomes over all places that count for a strategy, block by block."""
    totals = np.zeros((tournament.strategies, outcomes[0].shape[1]), np.int64)
    for number, (lineup, own, array) in enumerate(zip(tournament.lineups, tournament.own, outcomes, strict=True)):
        for rotation, seating in enumerate(design.seatings(number)):
            for seat, place in enumerate(seating):
                if own[place]:
                    totals[lineup[place]] += array[rotation, :, seat, column]
    return totals


def solo_wins(scores: Totals) -> Totals:
    """Return for each strategy and block twice the number of others that scored less, plus that of those level."""
    wins = np.zeros_like(scores)
    for a, b in itertools.combinations(range(len(scores)), 2):
        lead = np.sign(scores[a] - scores[b])
        wins[a] += 1 + lead
        wins[b] += 1 - lead
    return wins


def _moments(totals: Totals, scale: int) -> Moments:
    return dataclasses.replace(exact_moments(totals.T), scale=scale)


class _PairCounter:
    """Adds up the values of pairs of one chunk."""

    def __init__(self, strategies: int, deals: int) -> None:
        self.strategies = strategies
        self.sums: list[int] = []
        self.squares: list[int] = []
        self.leads: list[int] = []
        self.lead_squares: list[int] = []
        self._rows = np.zeros((strategies, deals), np.int64)
        self._squares = np.zeros(deals, np.int64)

    def add(self, a: int, b: int, values: NDArray[np.int64], leads: NDArray[np.int64]) -> None:
        squares = values * values
        self.sums.append(int(values.sum()))
        self.squares.append(int(squares.sum()))
        self.leads.append(int(leads.sum()))
        self.lead_squares.append(int((leads * leads).sum()))
        self._rows[a] += values
        self._rows[b] -= values
        self._squares += squares

    def pairs(self) -> Pairs:
        # What the differences of ratings explain of a table is the squared sums of its rows over K.
        rest = self.strategies * self._squares - (self._rows * self._rows).sum(axis=0)
        leads, lead_squares = tuple(self.leads), tuple(self.lead_squares)
        return Pairs(tuple(self.sums), tuple(self.squares), leads, lead_squares, int(rest.sum()))


def _compare_totals(totals: Totals) -> Pairs:
    counter = _PairCounter(*totals.shape)
    for a, b in itertools.combinations(range(len(totals)), 2):
        lead = np.sign(totals[a] - totals[b])
        counter.add(a, b, lead, lead)
    return counter.pairs()


def _count_meetings(design: Design, outcomes: Sequence[Outcomes], tournament: Tournament, column: int) -> Pairs:
    deals = outcomes[0].shape[1]
    counter = _PairCounter(tournament.strategies, deals)
    lines: dict[tuple[int, ...], list[int]] = {}
    for number, lineup in enumerate(tournament.lineups):
        lines.setdefault(tuple(sorted(set(lineup))), []).append(number)
    for a, b in itertools.combinations(range(tournament.strategies), 2):
        values, leads = np.zeros(deals, np.int64), np.zeros(deals, np.int64)
        for number in lines[a, b]:
            for rotation, seating in enumerate(design.seatings(number)):
                array = outcomes[number][rotation]
                seats = [tournament.lineups[number][place] for place in seating]
                for i, j in itertools.product(range(len(seats)), repeat=2):
                    if (seats[i], seats[j]) == (a, b):
                        values += array[:, i, column].astype(np.int64) - array[:, j, column]
                        leads += np.sign(array[:, j, RANK] - array[:, i, RANK])
        counter.add(a, b, values, leads)
    return counter.pairs()


# --- Finishing orders ------------------------------------------------------------------------------------------------


def _kept_firsts(parties: int) -> int:
    return 2 if parties == 2 else 1  # who sits first is asked for in games of two only


def _count_orders(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> Orders:
    seats = outcomes[0].shape[2]
    if seats == 1:
        return Orders(np.zeros(0, np.int64), np.zeros(0, np.int64))
    party, firsts = design.game.party_of(design.rules, seats), design.game.parties(design.rules, seats).values()
    deals, codes, kept = outcomes[0].shape[1], seats ** len(firsts), _kept_firsts(len(firsts))
    group = (design.first_deal + chunk * CHUNK + np.arange(deals)) % GROUPS
    keys, counts = [], []
    for number, array in enumerate(outcomes):
        found = np.zeros((array.shape[0], deals), np.int64)
        for rotation, seating in enumerate(design.seatings(number)):
            found[rotation] = ((group * len(outcomes) + number) * kept + party[seating[0]] % kept) * codes
            for seat in firsts:
                place = party[seating[seat]]
                found[rotation] += (array[rotation, :, seat, RANK].astype(np.int64) - 1) * seats**place
        there, times = np.unique(found, return_counts=True)
        keys.append(there)
        counts.append(times)
    order = np.argsort(np.concatenate(keys))
    return Orders(np.concatenate(keys)[order], np.concatenate(counts)[order].astype(np.int64))


@dataclass(frozen=True)
class Finish:
    """One finishing order of a line-up: the strategy and the rank of each party, and which of them sat first.

    ``first`` is −1 where there are more than two parties.
    """

    strategies: tuple[int, ...]
    ranks: tuple[int, ...]
    first: int


def read_orders(tournament: Tournament, orders: Orders) -> tuple[list[Finish], NDArray[np.int64], NDArray[np.int64]]:
    """Return the finishing orders that occurred.

    Returns
    -------
    finishes
        The orders.
    groups, places
        For each of `orders.counts`, the group of blocks and the place of the order in `finishes`.
    """
    seats, parties, kept = tournament.seats, tournament.parties, _kept_firsts(tournament.parties)
    firsts, codes = tournament.game.parties(tournament.rules, seats).values(), seats**parties
    groups, rest = np.divmod(orders.keys, len(tournament.lineups) * kept * codes)
    known, places = np.unique(rest, return_inverse=True)
    finishes = []
    for key in known.tolist():
        at, code = divmod(key, codes)
        number, first = divmod(at, kept)
        ranks = tuple(code // seats**party % seats + 1 for party in range(parties))
        strategies = tuple(tournament.lineups[number][place] for place in firsts)
        finishes.append(Finish(strategies, ranks, first if parties == 2 else -1))
    return finishes, groups, places
