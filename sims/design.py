"""The design of a run: everything that its result is a function of."""

import importlib.metadata
import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sims.errors import UsageError
from sims.game import SCORE, Game
from sims.table import Player, Table

CHUNK = 16_384  # deals in a chunk: the unit that is stored, the same for any number of workers
LARGEST_SEED = 2**64 - 1
LARGEST_DEALS = 10**12

Outcomes = NDArray[np.int16]  # of one line-up: shape (rotations, deals, seats, columns)


@dataclass(frozen=True)
class Design:
    """What is played: line-ups on common deals, each under its rotations.

    Attributes
    ----------
    game, rules
        The game and its rules.
    lineups
        The line-ups; each has one player a seat.
    seed, first_deal, deals
        Deals `first_deal` to `first_deal + deals − 1` of this seed.
    rotate
        Whether every line-up is turned through all seats.

    Raises
    ------
    UsageError
        When a number is out of range, or a line-up does not fit the game.
    """

    game: Game
    rules: Any
    lineups: tuple[tuple[Player, ...], ...]
    seed: int
    deals: int
    first_deal: int = 0
    rotate: bool = True

    def __post_init__(self) -> None:
        """Check all numbers."""
        check_whole("seed", self.seed, 0, LARGEST_SEED)
        check_whole("deals", self.deals, 1, LARGEST_DEALS)
        check_whole("first_deal", self.first_deal, 0, LARGEST_DEALS)
        for lineup in self.lineups:
            self.game.check_seats(len(lineup), self.rules)

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return -(-self.deals // CHUNK)

    def chunk_deals(self, chunk: int) -> int:
        """Return how many deals a chunk has."""
        return min(CHUNK, self.deals - chunk * CHUNK)

    def seatings(self, lineup: int) -> tuple[tuple[int, ...], ...]:
        """Return which player of a line-up sits at each seat: `seatings(lineup)[rotation][seat]`."""
        rotations = self.game.rotate(self.rules, len(self.lineups[lineup]))
        return rotations if self.rotate else rotations[:1]

    @property
    def games_a_deal(self) -> int:
        """Games played for one deal: line-ups times rotations."""
        return sum(len(self.seatings(lineup)) for lineup in range(len(self.lineups)))

    def tables(self) -> list[list[Table]]:
        """Return new tables, `tables()[lineup][rotation]`; compiles what has to be."""
        return [
            [Table(self.game, self.rules, [players[who] for who in seating]) for seating in self.seatings(lineup)]
            for lineup, players in enumerate(self.lineups)
        ]

    def new_outcomes(self, deals: int) -> list[Outcomes]:
        """Return room for the outcomes of some deals, one array a line-up."""
        columns = len(self.game.columns)
        return [
            np.zeros((len(self.seatings(lineup)), deals, len(players), columns), np.int16)
            for lineup, players in enumerate(self.lineups)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the design as JSON values."""
        return {
            "game": self.game.name,
            "rules_version": self.game.rules_version,
            "rules": self.rules.to_dict(),
            "lineups": [[player.spec for player in lineup] for lineup in self.lineups],
            "seed": self.seed,
            "first_deal": self.first_deal,
            "deals": self.deals,
            "rotations": [len(self.seatings(lineup)) for lineup in range(len(self.lineups))],
            "chunk": CHUNK,
        }

    def to_manifest(self) -> dict[str, Any]:
        """Return the design with a digest of every strategy's source, as a store keeps it."""
        digests = {player.spec: player.digest for lineup in self.lineups for player in lineup}
        return {**self.to_dict(), "strategies": digests}

    def replay_command(self, lineup: int, rotation: int, deal: int) -> str:
        """Return the command that plays one deal again and tells it."""
        basic = self.game.rules().to_dict()
        options = [
            "--set "
            + shlex.quote(f"{name}={','.join(str(item) for item in value) if isinstance(value, list) else value}")
            for name, value in self.rules.to_dict().items()
            if value != basic[name]
        ]
        specs = [shlex.quote(player.spec) for player in self.lineups[lineup]]
        words = [
            *specs,
            f"--seed {self.seed}",
            f"--deal {deal}",
            *([f"--rotation {rotation}"] if rotation else []),
            *options,
        ]
        return f"crosslab replay {self.game.name} {' '.join(words)}"

    # --- Rows -------------------------------------------------------------------------------------------------------

    def frame(self, chunk: int, outcomes: Sequence[Outcomes]) -> pl.DataFrame:
        """Return a chunk as rows: one a line-up, rotation, deal and seat, in this order."""
        return pl.concat([self._lineup_frame(chunk, lineup, array) for lineup, array in enumerate(outcomes)])

    def _lineup_frame(self, chunk: int, lineup: int, outcomes: Outcomes) -> pl.DataFrame:
        rotations, deals, seats, _ = outcomes.shape
        players = self.lineups[lineup]
        specs = sorted({player.spec for line in self.lineups for player in line})
        who = np.array([[specs.index(players[at].spec) for at in seating] for seating in self.seatings(lineup)])
        shape = (rotations, deals, seats)
        rotation, deal, seat = np.indices(shape, dtype=np.int64).reshape(3, -1)
        codes = np.broadcast_to(who[:, None, :], shape).reshape(-1)
        columns = {
            "lineup": np.full(rotation.shape, lineup, np.uint16),
            "rotation": rotation.astype(np.uint8),
            "deal": deal + (self.first_deal + chunk * CHUNK),
            "seat": seat.astype(np.uint8),
        }
        values = outcomes.reshape(-1, outcomes.shape[-1])
        return pl.DataFrame(columns).with_columns(
            pl.Series("strategy", specs, pl.Enum(specs)).gather(codes),
            *(
                pl.Series(column.name, values[:, place] if column.scale == 1 else values[:, place] / column.scale)
                for place, column in enumerate(self.game.columns)
            ),
        )

    def outcomes(self, frame: pl.DataFrame) -> list[Outcomes]:
        """Return the outcomes of a chunk from its rows (the inverse of `frame`)."""
        arrays, start = [], 0
        deals = len(frame) // sum(
            len(self.seatings(lineup)) * len(players) for lineup, players in enumerate(self.lineups)
        )
        for array in self.new_outcomes(deals):
            part = frame.slice(start, array[..., SCORE].size)
            start += len(part)
            for place, column in enumerate(self.game.columns):
                values = part[column.name].to_numpy()
                array[..., place] = np.rint(values * column.scale).reshape(array.shape[:-1])
            arrays.append(array)
        return arrays


def check_whole(name: str, value: Any, low: int, high: int) -> int:
    """Return a whole number in a range, or say which numbers fit."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise UsageError(f"{name}={value!r} does not fit: it takes a whole number from {low} to {high}")
    return int(value)


def versions() -> dict[str, str]:
    """Return the versions that a store records."""
    packages = ("crosslab", "numba", "numpy", "polars")
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # a checkout on the path
            found[package] = "unknown"
    return {"python": platform.python_version(), **found}
