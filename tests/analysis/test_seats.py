"""Seats: what is counted of them, and when they are called fair or unfair."""

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.balance import balance
from analysis.seats import count_balance, seat_balance
from analysis.simultaneous import multinomial_intervals
from sims.design import Design, Outcomes
from sims.game import SCORE, WIN, WIN_UNIT, Column, Game, find_game
from sims.jit import COMPILED
from sims.table import Player

GAME = find_game("criss-cross")


def design(rotations: int = 1, seats: int = 2, game: Game = GAME) -> Design:
    """A design whose outcomes a test makes up."""
    players = tuple(Player(name, name) for name in "abcdef"[:seats])
    return Design(game, game.variant(), (players,), seed=1, deals=10, rotate=rotations > 1)


def outcomes_of(wins: NDArray[Any], columns: int = len(GAME.columns)) -> list[Outcomes]:
    """Outcomes with the given wins (units), shape (rotations, deals, seats); a winner has one point."""
    array = np.zeros((*wins.shape, columns), np.int16)
    array[..., WIN] = wins
    array[..., SCORE] = wins > 0
    return [array]


def one_winner(winners: NDArray[Any], seats: int) -> NDArray[Any]:
    return np.where(winners[..., None] == np.arange(seats), WIN_UNIT, 0)


# --- Counting --------------------------------------------------------------------------------------------------------


def test_count_balance_counts_blocks() -> None:
    half = WIN_UNIT // 2
    wins = np.array([[[WIN_UNIT, 0], [half, half], [0, 0]], [[WIN_UNIT, 0], [0, WIN_UNIT], [half, half]]])
    outcomes = outcomes_of(wins)
    outcomes[0][..., [column.name for column in GAME.columns].index("rounds")] = [[[9, 8]] * 3, [[10, 12]] * 3]
    counts = count_balance(design(2), 0, outcomes)
    assert counts.wins.means.tolist() == [3 / 6, 2 / 6]
    assert counts.scores.sums == (4, 3)
    assert counts.shared.to_dict() == {0: 1, 1: 2}
    assert counts.unwon.to_dict() == {0: 2, 1: 1}
    assert counts.lengths.to_dict() == {9: 3, 12: 3}
    assert counts.block_lengths.to_dict() == {21: 3}
    assert counts.ends.total == 0


def test_counts_add_up() -> None:
    rng = np.random.default_rng(1)
    wins = one_winner(rng.integers(0, 2, (2, 10)), 2)
    whole = count_balance(design(2), 0, outcomes_of(wins))
    parts = count_balance(design(2), 0, outcomes_of(wins[:, :4])) + count_balance(
        design(2), 1, outcomes_of(wins[:, 4:])
    )
    for item in dataclasses.fields(whole):
        assert getattr(parts, item.name) == getattr(whole, item.name)


def test_the_column_of_ends_is_counted() -> None:
    game = dataclasses.replace(
        GAME, extra_columns=(*GAME.extra_columns, Column("end", "why it ended")), end_reasons=("full", "passes")
    )
    outcomes = outcomes_of(one_winner(np.zeros((1, 10), int), 2), len(game.columns))
    outcomes[0][:, :3, :, -1] = 1
    assert count_balance(design(game=game), 0, outcomes).ends.to_dict() == {0: 7, 1: 3}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_side_is_counted_by_one_of_its_seats(seats: int) -> None:
    """Partners win together; counted by seat, their wins would add up to more than the games."""
    game = find_game("crosswise")
    rng = np.random.default_rng(5)
    by_side = np.array([[WIN_UNIT, 0], [0, WIN_UNIT], [WIN_UNIT // 2, WIN_UNIT // 2]])[rng.integers(0, 3, (2, 60))]
    wins = by_side[..., [seat % 2 for seat in range(seats)]]
    counts = count_balance(design(2, seats, game), 0, outcomes_of(wins, len(game.columns)))
    assert counts.names == ("rows", "columns")
    assert counts.wins.means.tolist() == pytest.approx((by_side.mean(axis=(0, 1)) / WIN_UNIT).tolist())
    seats_found = seat_balance(counts)
    assert seats_found.fair == pytest.approx(1 / 2)
    assert [share.name for share in seats_found.shares] == ["rows", "columns"]
    assert sum(share.wins for share in seats_found.shares) == pytest.approx(1)


# --- The verdict -----------------------------------------------------------------------------------------------------


def test_independent_games_have_goodman_intervals() -> None:
    winners = np.repeat([0, 1, 2], [50, 30, 40])[None]
    seats = seat_balance(count_balance(design(1, 3), 0, outcomes_of(one_winner(winners, 3))))
    assert seats.method == "goodman"
    assert seats.fair == pytest.approx(1 / 3)
    assert [share.wins for share in seats.shares] == pytest.approx([50 / 120, 30 / 120, 40 / 120])
    for share, (low, high) in zip(seats.shares, multinomial_intervals([50, 30, 40]), strict=True):
        assert (share.low, share.high) == pytest.approx((low, high))


def test_a_shared_win_is_a_part_of_a_win() -> None:
    wins = np.concatenate([one_winner(np.arange(101) % 2, 2), np.full((1, 2), WIN_UNIT // 2)])[None]
    seats = seat_balance(count_balance(design(), 0, outcomes_of(wins)))
    assert [share.wins for share in seats.shares] == [51.5 / 102, 50.5 / 102]
    low, high = (multinomial_intervals([wins, 102 - wins])[0] for wins in (51, 52))
    assert seats.shares[0].low == pytest.approx(low.low)
    assert seats.shares[0].high == pytest.approx(high.high)


def test_rotations_of_a_deal_are_one_block() -> None:
    """The deal decides which player wins, whatever the seat: shares are exactly fair, games far from independent."""
    rng = np.random.default_rng(3)
    strong = rng.integers(0, 2, 400)
    winners = np.stack([strong, 1 - strong])
    seats = seat_balance(count_balance(design(2), 0, outcomes_of(one_winner(winners, 2))))
    assert seats.method == "max-t over blocks"
    assert all(share.low == share.high == share.wins == 0.5 for share in seats.shares)
    assert seats.verdict == "fair"


def test_games_that_nobody_wins_make_no_seat_unfair() -> None:
    winners = np.arange(600)[None] % 3  # 2: nobody
    seats = seat_balance(count_balance(design(), 0, outcomes_of(one_winner(winners, 2))), margin=0.1)
    assert seats.fair == pytest.approx(1 / 3)
    assert seats.verdict == "fair"
    assert seats.method == "max-t over blocks"


@pytest.mark.parametrize(
    ("wins", "margin", "verdict"),
    [
        (5_000, 0.02, "fair"),
        (5_000, 0.0, "undecided"),
        (5_300, 0.01, "unfair"),
        (5_110, 0.05, "fair"),  # off for certain, but inside the margin
        (5_090, 0.01, "undecided"),
    ],
)
def test_verdict(wins: int, margin: float, verdict: str) -> None:
    winners = (np.arange(10_000) >= wins)[None].astype(int)
    assert seat_balance(count_balance(design(), 0, outcomes_of(one_winner(winners, 2))), margin).verdict == verdict


def test_no_verdict_below_30_blocks() -> None:
    winners = np.zeros((1, 29), int)
    assert seat_balance(count_balance(design(), 0, outcomes_of(one_winner(winners, 2)))).verdict == "undecided"


@pytest.mark.parametrize("rotations", [1, 3])
def test_fair_seats_are_rarely_called_unfair(rotations: int) -> None:
    rng = np.random.default_rng(4)
    runs = 60
    false = 0
    for _ in range(runs):
        winners = rng.integers(0, 3, (rotations, 300))
        counts = count_balance(design(rotations, 3), 0, outcomes_of(one_winner(winners, 3)))
        false += seat_balance(counts, margin=0.0).verdict == "unfair"
    assert false <= 9  # 3 are expected; 10 or more in one of 1,000 tests


def test_a_caveat_of_a_player_is_told_with_the_verdict() -> None:
    found = balance("crosswise", ["wedel", "wedel"], deals=60 if COMPILED else 3, sample=0, ladder_deals=0)
    assert list(found.caveats) == ["wedel"]
    assert "artefact" in found.to_dict()["caveats"]["wedel"]
    assert "Mind wedel: " in found.text()
    assert "Mind" not in balance("crosswise", ["uniform"] * 3, deals=30, sample=0, ladder_deals=0).text()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_sides_of_a_team_game_are_counted_once(seats: int) -> None:
    found = balance("crosswise", ["uniform"] * seats, deals=100 if COMPILED else 3, sample=0, ladder_deals=0)
    assert found.seats is not None
    assert [share.name for share in found.seats.shares] == ["rows", "columns"]
    assert sum(share.wins for share in found.seats.shares) == pytest.approx(1)
    assert found.seats.fair == pytest.approx(0.5)
    assert "ides " in found.text()  # "The sides are …" or "Sides undecided"
    assert "seat 0" not in found.text()


def test_rules_say_whether_seats_or_sides_are_judged(partners: Game) -> None:
    deals = 100 if COMPILED else 3
    more = {"deals": deals, "sample": 0, "ladder_deals": 0, "n_jobs": 1}
    alone, together = (balance(partners, ["uniform"] * 4, variant=name, **more) for name in ("basic", "advanced"))  # type: ignore[arg-type]
    assert alone.seats is not None
    assert together.seats is not None
    assert [share.name for share in alone.seats.shares] == ["seat 0", "seat 1", "seat 2", "seat 3"]
    assert [share.name for share in together.seats.shares] == ["red", "blue"]
    for found, what in ((alone, "seats"), (together, "sides")):
        assert re.search(f"^The {what} are |^{what.capitalize()} undecided", found.text(), re.MULTILINE)
    mixed = balance(partners, ["uniform", "blunder"] * 2, variant="advanced", **more)  # type: ignore[arg-type]
    assert mixed.rotations == 2
    assert mixed.games == 2 * deals


def test_summary_has_a_row_a_seat() -> None:
    counts = count_balance(design(), 0, outcomes_of(one_winner(np.array([[0, 0, 1, 0] * 10]), 2)))
    found = seat_balance(counts)
    for row, share in zip(found.summary().iter_rows(named=True), found.shares, strict=True):
        assert row == share._asdict()
    few = seat_balance(count_balance(design(), 0, outcomes_of(one_winner(np.array([[0]]), 2)))).summary()
    assert few["points_low"].to_list() == [None, None], "not known is null"
