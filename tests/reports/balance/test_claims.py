"""Claims: their error rates, on made-up wins and on a game with a planted bias."""

import dataclasses
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import sims.game
from analysis.intervals import Interval
from analysis.seats import Seats, count_balance, seat_balance
from reports.balance.claims import dominant, luck_answer, none_dominates, seat_claim, seats_verdict
from reports.balance.evidence import CONFIDENCE, Evidence, judge_seats, make_request, play_seats
from sims.criss_cross import write_ranks
from sims.design import Design
from sims.game import RANK, SCORE, WIN, WIN_UNIT, Game, find_game
from sims.jit import COMPILED
from strategies import Strategy, find_strategy

GAME = find_game("criss-cross")
SEEDS = 200
DEALS = 500


def at_most(rate: float) -> int:
    """So many of the seeds at the most, when each has this probability: once in a thousand it is more."""
    return int(binom.ppf(0.999, SEEDS, rate))


def verdicts_of(shares: tuple[float, ...], deals: int, seed: int, margin: float) -> dict[str, Seats]:
    """Return the verdicts on tables of two seats at which the first wins with the given probabilities."""
    player = find_strategy("criss-cross", "uniform").player()
    design = Design(GAME, GAME.rules(), ((player, player),), seed=1, deals=deals, rotate=False)
    rng = np.random.default_rng(seed)
    found = {}
    for place, share in enumerate(shares):
        array = np.zeros((1, deals, 2, len(GAME.columns)), np.int16)
        first = rng.random(deals) < share
        array[0, :, 0, WIN], array[0, :, 1, WIN] = first * WIN_UNIT, ~first * WIN_UNIT
        array[0, :, :, RANK] = 2 - array[0, :, :, WIN] // WIN_UNIT
        counts = count_balance(design, 0, [array])
        found[f"table {place}"] = seat_balance(counts, margin, 1 - (1 - CONFIDENCE) / len(shares))
    return found


def counted(shares: tuple[float, ...], *, margin: float, deals: int = DEALS) -> dict[str, int]:
    told = [seats_verdict(verdicts_of(shares, deals, seed, margin)) for seed in range(SEEDS)]
    return {verdict: told.count(verdict) for verdict in ("fair", "unfair", "undecided")}


def test_seats_that_are_fair_are_rarely_called_unfair() -> None:
    """Three tables at once, and a margin that these deals cannot show: what is found is found by chance."""
    found = counted((0.5, 0.5, 0.5), margin=0.0)
    assert found["fair"] == 0
    assert found["unfair"] <= at_most(1 - CONFIDENCE)


def test_seats_at_the_edge_of_the_margin_are_rarely_called_fair() -> None:
    """The first table is off by just the margin: to call all fair is wrong."""
    found = counted((0.6, 0.5, 0.5), margin=0.1)
    assert found["fair"] <= at_most(1 - CONFIDENCE)


def test_with_enough_deals_both_truths_are_found() -> None:
    assert counted((0.5, 0.5), margin=0.1)["fair"] > SEEDS - at_most(0.1)
    assert counted((0.5, 0.65), margin=0.05)["unfair"] > SEEDS - at_most(0.1)


# --- A game with a planted bias --------------------------------------------------------------------------------------


def planted_play(*arguments: Any) -> int:
    """Criss Cross, with points for seat 0 that nobody earned."""
    played = int(GAME.play(*arguments))
    outcomes = arguments[6]
    outcomes[:played, 0, SCORE] += 2
    for game in range(played if outcomes.shape[1] > 1 else 0):
        write_ranks(outcomes[game])
    return played


PLANTED = dataclasses.replace(GAME, name="planted", play=planted_play, score_range=lambda rules: (0, 102))


def own_claim(game: Game, strategy: Strategy, seed: int) -> str:
    request = make_request(game, [strategy], deals=DEALS, seats=2, seed=seed, margin=0.1)
    balances = play_seats(request, n_jobs=1, progress=False)
    claim = seat_claim(Evidence(request, balances, judge_seats(request, balances), {}, None, None, None, None))
    assert claim.section == "seats"
    return claim.outcome


@pytest.mark.skipif(not COMPILED, reason="200 reports take too long in plain Python")
def test_a_planted_bias_is_called_unfair_and_its_absence_fair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sims.game._games, PLANTED.name, PLANTED)
    uniform = find_strategy("criss-cross", "uniform")
    planted = dataclasses.replace(uniform, game=PLANTED.name, finder=None)
    unfair = [own_claim(PLANTED, planted, seed) for seed in range(SEEDS)]
    fair = [own_claim(GAME, uniform, seed) for seed in range(SEEDS)]
    assert unfair.count("good") == 0
    assert unfair.count("bad") > SEEDS - at_most(0.05)
    assert fair.count("bad") <= at_most(1 - CONFIDENCE)
    assert fair.count("good") > SEEDS - at_most(0.05)


# --- Dominance -------------------------------------------------------------------------------------------------------


def matchups(verdicts: dict[str, str]) -> pl.DataFrame:
    """Return pairs "ab" with the verdict on a, in both orders."""
    other = {"better": "worse", "worse": "better", "equivalent": "equivalent", "undecided": "undecided"}
    rows = [(pair[0], pair[1], verdict) for pair, verdict in verdicts.items()]
    rows += [(pair[1], pair[0], other[verdict]) for pair, verdict in verdicts.items()]
    return pl.DataFrame(rows, schema=["a", "b", "verdict"], orient="row")


@pytest.mark.parametrize(
    ("verdicts", "best", "nobody"),
    [
        ({"xy": "better", "xz": "better", "yz": "undecided"}, "x", False),
        ({"xy": "undecided", "xz": "better", "yz": "better"}, None, False),
        ({"xy": "equivalent", "xz": "better", "yz": "better"}, None, True),
        ({"xy": "better", "xz": "worse", "yz": "better"}, None, True),
        ({"xy": "undecided", "xz": "undecided", "yz": "undecided"}, None, False),
    ],
)
def test_dominance(verdicts: dict[str, str], best: str | None, nobody: bool) -> None:
    assert dominant(matchups(verdicts)) == best
    assert none_dominates(matchups(verdicts)) is nobody


@pytest.mark.parametrize(
    ("skill", "luck", "answer"),
    [
        ((0.51, 0.6), (0.1, 0.2), "Mostly skill"),
        ((-0.1, 0.1), (0.6, 0.7), "Mostly luck"),
        ((-0.03, 0.02), (0.3, 0.4), "The scores do not tell who plays"),
        ((0.05, 0.07), (0.1, 0.2), "Mostly chance in play, and what meets what"),
        ((0.3, 0.4), (0.3, 0.4), "Some of both"),
        ((0.3, 0.6), (0.3, 0.4), "Between the two: too close to call"),
    ],
)
def test_luck_and_skill_in_words(skill: tuple[float, float], luck: tuple[float, float], answer: str) -> None:
    assert luck_answer(Interval(*skill), Interval(*luck), "scores") == answer
