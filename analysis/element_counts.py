"""Counting the elements of many games: exact sums over deals of how often each was used, what it earned, and who won.

All sums are whole numbers: whoever adds them up, in whatever order, gets the same.
"""

import contextlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from sims.design import Design
from sims.elements import EARNED, USED, ElementFacts, Kind, Tallies
from sims.errors import StrategyError, UsageError
from sims.game import WIN, WIN_UNIT, Game, near_misses
from sims.run import BACKENDS, WORK_SECONDS, progress_bar, seconds_a_deal, workers
from sims.table import Table

MOST_DEALS = 10_000_000
"""Up to here no sum of squares leaves 64 bits."""

BATCH = 256
"""Deals that are logged at a time at most."""

Sums = NDArray[np.int64]


# --- Sums ------------------------------------------------------------------------------------------------------------

# What is summed over blocks of the use of an element, and of who won.
COUNTS, COUNT_SQUARES, VALUES, VALUE_SQUARES, PRODUCTS, USING = range(6)
UNEQUAL, BLOCKS, MORE, LESS, GAP_SQUARES, GAP_UNEQUAL, UNEQUAL_SQUARES = range(7)


@dataclass(frozen=True, eq=False)
class Telling:
    """Of whom something is told: a strategy, the line-up it plays in, and where, shape (rotations, seats)."""

    strategy: str
    lineup: int
    own: NDArray[np.bool_]

    @property
    def seats(self) -> list[int]:
        """The seats that it has in some rotation."""
        return [int(seat) for seat in np.flatnonzero(self.own.any(axis=0))]

    @property
    def seat_games(self) -> list[int]:
        """Its seat-games in a block: of all seats together, then of each of `seats`."""
        return [int(self.own.sum()), *(int(self.own[:, seat].sum()) for seat in self.seats)]


@dataclass(frozen=True, eq=False)
class UseSums:
    """Exact sums over blocks, of a line-up; adding two merges their blocks.

    Attributes
    ----------
    blocks
        The deals.
    uses
        For each telling, shape (1 + its seats, elements, 6): sums of a block's counts, their squares, its values, their
        squares, the products of both, and the number of blocks with any use.
    wins
        Shape (elements, 7): games in which sides used the element unequally, blocks with such games; sums of the wins
        of who used it most and of the others; and of squares and products of a block's gap and such games.
    """

    blocks: int
    uses: tuple[Sums, ...]
    wins: Sums

    def __add__(self, other: "UseSums") -> "UseSums":
        """Return the sums of both sets of blocks together."""
        uses = tuple(mine + theirs for mine, theirs in zip(self.uses, other.uses, strict=True))
        return UseSums(self.blocks + other.blocks, uses, self.wins + other.wins)


def win_unit(parties: int) -> int:
    """Return what one win counts in sums of wins: mean wins of any number of the parties are then whole."""
    return WIN_UNIT * math.lcm(*range(1, parties)) if parties > 1 else WIN_UNIT


def sum_uses(tallies: Sequence[Tallies], own: NDArray[np.bool_], seats: Sequence[int]) -> Sums:
    """Sum up the use of elements by one strategy.

    Parameters
    ----------
    tallies
        Of every rotation, on the same deals.
    own, seats
        Where the strategy sits, shape (rotations, seats), and its seats.

    Returns
    -------
    Shape (1 + seats, elements, 6), as in `UseSums`.
    """
    groups = [own, *(own & (np.arange(own.shape[1]) == seat) for seat in seats)]
    sums = np.zeros((len(groups), tallies[0].shape[2], 6), np.int64)
    for group, chosen in enumerate(groups):
        blocks = sum(told[:, chosen[rotation]].sum(axis=1) for rotation, told in enumerate(tallies))
        assert isinstance(blocks, np.ndarray)
        counts, values = blocks[..., USED], blocks[..., EARNED]
        columns = (counts, counts * counts, values, values * values, counts * values, counts > 0)
        sums[group] = np.stack([column.sum(axis=0, dtype=np.int64) for column in columns], axis=1)
    return sums


def sum_wins(
    tallies: Sequence[Tallies], outcomes: Sequence[NDArray[np.int16]], parties: Sequence[int], shared: NDArray[np.bool_]
) -> Sums:
    """Sum up the wins of those who used an element most in their game, and of the others.

    Parameters
    ----------
    tallies, outcomes
        Of every rotation, on the same deals.
    parties
        The party of each seat: seats of one party win together.
    shared
        Which elements all seats of a party have alike; of the others a party has what its seats have together.

    Returns
    -------
    Shape (elements, 7), as in `UseSums`.
    """
    deals, _, elements, _ = tallies[0].shape
    members = [[seat for seat, party in enumerate(parties) if party == one] for one in range(max(parties) + 1)]
    count = len(members)
    unit = win_unit(count) // WIN_UNIT
    unequal, more, less = (np.zeros((deals, elements), np.int64) for _ in range(3))
    if count > 1:
        for told, outcome in zip(tallies, outcomes, strict=True):
            used = told[..., USED]
            together = np.stack([used[:, seats].sum(axis=1) for seats in members], axis=1)
            alike = used[:, [seats[0] for seats in members]]
            use = np.where(shared, alike, together)
            wins = outcome[:, [seats[0] for seats in members], WIN].astype(np.int64)[:, :, None] * unit
            most = use == use.max(axis=1, keepdims=True)
            top = most.sum(axis=1)
            differ = top < count
            unequal += differ
            more += np.where(differ, (most * wins).sum(axis=1) // top, 0)
            less += np.where(differ, (~most * wins).sum(axis=1) // np.maximum(count - top, 1), 0)
    gap = more - less
    columns = (unequal, unequal > 0, more, less, gap * gap, gap * unequal, unequal * unequal)
    return np.stack([column.sum(axis=0, dtype=np.int64) for column in columns], axis=1)


@dataclass(frozen=True, eq=False)
class Asked:
    """What is counted: the design, the kinds, and of whom it is told."""

    design: Design
    kinds: tuple[Kind, ...]
    tellings: tuple[Telling, ...]

    @property
    def facts(self) -> ElementFacts:
        """The elements of the game."""
        return element_facts(self.design.game)

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return len(self.design.lineups[0])

    def of_lineup(self, lineup: int) -> list[Telling]:
        """Return what is told of one line-up."""
        return [telling for telling in self.tellings if telling.lineup == lineup]

    def count(self, lineup: int, outcomes: Sequence[NDArray[np.int16]], logs: Sequence[Any]) -> UseSums:
        """Count logged games, of all rotations of a line-up on the same deals."""
        rules = self.design.rules
        known = self.facts.kinds(rules, self.seats)
        names = [kind.name for kind in self.kinds]
        chosen = np.repeat([kind.name in names for kind in known], [len(kind.names) for kind in known])
        tallies = [
            self.facts.tally(rules, log, outcome)[:, :, chosen] for log, outcome in zip(logs, outcomes, strict=True)
        ]
        shared = np.repeat([kind.of == "side" for kind in self.kinds], [len(kind.names) for kind in self.kinds])
        uses = tuple(sum_uses(tallies, telling.own, telling.seats) for telling in self.of_lineup(lineup))
        parties = self.design.game.party_of(rules, self.seats)
        return UseSums(len(outcomes[0]), uses, sum_wins(tallies, outcomes, parties, shared))


def element_facts(game: Game) -> ElementFacts:
    """Return the elements of a game.

    Raises
    ------
    UsageError
        When it tells none.
    """
    if game.elements is None:
        raise UsageError(f"{game.name} does not say what its elements are")
    return game.elements


def find_kinds(game: Game, rules: Any, seats: int, names: Sequence[str] | None) -> tuple[Kind, ...]:
    """Return the kinds of elements of that name, in the order of the game; all of them for None.

    Raises
    ------
    UsageError
        For an unknown kind, none at all, or a game without elements.
    """
    known = {kind.name: kind for kind in element_facts(game).kinds(rules, seats)}
    if names is None:
        return tuple(known.values())
    if isinstance(names, str) or not names:
        raise UsageError(f"kinds={names!r} does not fit: it takes a list of one or more of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise UsageError(f"{game.name} has no elements of the kind {name!r}{near_misses(name, known)}")
    return tuple(kind for kind in known.values() if kind.name in names)


# --- Playing ---------------------------------------------------------------------------------------------------------


def play_and_count(
    asked: Asked, *, n_jobs: int = -1, backend: str = "threads", progress: bool = True
) -> tuple[tuple[UseSums, ...], float, int]:
    """Play all that is asked and count it.

    Parameters
    ----------
    asked
        What is played and counted.
    n_jobs, backend, progress
        See `sims.run.run`; none of them changes the result.

    Returns
    -------
    The sums of every line-up, the seconds that it took without compiling, and the games that were played.

    Raises
    ------
    UsageError
        For numbers of workers and backends that there are not.
    StrategyError
        When a strategy breaks its contract; of several failures the one of the first line-up's lowest deal is told.
    """
    design = asked.design
    if backend not in BACKENDS:
        raise UsageError(f"unknown backend {backend!r}; there are: {', '.join(BACKENDS)}")
    count = workers(n_jobs)
    for lineup in range(len(design.lineups)):  # compiles what has to be, before the clock starts
        failed = _count(asked, lineup, design.first_deal, 1)
        if isinstance(failed, StrategyError):
            raise failed
    started = time.perf_counter()
    each = seconds_a_deal(design, design.first_deal) / len(design.lineups)
    size = max(1, min(BATCH, int(WORK_SECONDS / each), -(-design.deals // count)))
    pieces = [
        (lineup, start, min(size, design.deals - start))
        for lineup in range(len(design.lineups))
        for start in range(0, design.deals, size)
    ]
    parallel = Parallel(n_jobs=count, backend=BACKENDS[backend], return_as="generator", pre_dispatch="2*n_jobs")
    jobs = (delayed(_count)(asked, lineup, design.first_deal + start, deals) for lineup, start, deals in pieces)
    sums: list[UseSums | None] = [None] * len(design.lineups)
    games = 0
    bar = progress_bar(design.deals * design.games_a_deal, progress)
    with contextlib.closing(parallel(jobs)) as results, bar:
        for (lineup, _, deals), got in zip(pieces, results, strict=True):
            if isinstance(got, StrategyError):
                raise got
            before = sums[lineup]
            sums[lineup] = got if before is None else before + got
            played = deals * len(design.seatings(lineup))
            games += played
            bar.update(played)
    return tuple(one for one in sums if one is not None), time.perf_counter() - started, games


def log_deals(design: Design, lineup: int, first: int, deals: int) -> tuple[list[NDArray[np.int16]], list[Any]]:
    """Play some deals of a line-up under all rotations and keep every choice."""
    outcomes, logs = [], []
    players = design.lineups[lineup]
    for rotation, seating in enumerate(design.seatings(lineup)):
        table = Table(design.game, design.rules, [players[who] for who in seating])
        try:
            outcome, log = table.log(design.seed, first, deals)
        except StrategyError as error:
            error.replay = design.replay_command(lineup, rotation, error.deal)
            raise
        outcomes.append(outcome)
        logs.append(log)
    return outcomes, logs


def _count(asked: Asked, lineup: int, first: int, deals: int) -> UseSums | StrategyError:
    """Play and count some deals; a failure is returned, so that the one of the lowest deal can be told."""
    try:
        return asked.count(lineup, *log_deals(asked.design, lineup, first, deals))
    except StrategyError as error:
        return error
