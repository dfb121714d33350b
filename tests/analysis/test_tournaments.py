"""Tournaments: who meets whom, and exact counts of it."""

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.tournaments import (
    FORMATS,
    Counts,
    Finish,
    Format,
    Orders,
    Tournament,
    block_totals,
    choose_tables,
    count_chosen,
    count_tournament,
    make_tournament,
    possible_tables,
    read_orders,
    resolve_format,
    solo_wins,
)
from sims.criss_cross import write_ranks
from sims.design import Design, Outcomes
from sims.errors import UsageError
from sims.game import RANK, SCORE, WIN, WIN_UNIT, Game, find_game
from sims.table import Player

GAME = find_game("criss-cross")
RULES = GAME.variant()
ANYONE = [Player(f"{who}", f"{who}") for who in range(12)]


def design_of(tournament: Tournament, deals: int, first_deal: int = 0) -> Design:
    players = ANYONE[: tournament.strategies]
    return Design(GAME, RULES, tournament.seated(players), seed=1, deals=deals, first_deal=first_deal)


def random_outcomes(design: Design, deals: int, seed: int = 1) -> list[Outcomes]:
    """Results that nobody played: small scores, so that ties occur."""
    chance = np.random.default_rng(seed)
    arrays = design.new_outcomes(deals)
    for array in arrays:
        array[..., SCORE] = chance.integers(0, 6, array.shape[:-1])
        for game in array.reshape(-1, *array.shape[2:]):
            write_ranks(game)
    return arrays


def counted(tournament: Tournament, deals: int = 40, measure: Any = "score") -> tuple[Design, list[Outcomes], Counts]:
    design = design_of(tournament, deals)
    outcomes = random_outcomes(design, deals)
    return design, outcomes, count_tournament(design, 0, outcomes, tournament=tournament, measure=measure)


@pytest.mark.parametrize("format", [item for item in FORMATS if item != "solo"])
@pytest.mark.parametrize(("strategies", "seats"), [(2, 2), (2, 3), (3, 3), (3, 4), (5, 2), (5, 3), (7, 4)])
def test_all_sit_at_every_seat_equally_often(format: Format, strategies: int, seats: int) -> None:
    tournament = make_tournament(GAME, RULES, strategies, format, seats, lineups=20)
    taken = np.zeros((strategies, seats), int)
    design = design_of(tournament, 1)
    for number, (lineup, own) in enumerate(zip(tournament.lineups, tournament.own, strict=True)):
        for seating in design.seatings(number):
            for seat, place in enumerate(seating):
                taken[lineup[place], seat] += own[place]
    assert (taken == taken[0, 0]).all()
    assert taken[0].sum() == tournament.scale


def test_line_ups_of_each_format() -> None:
    assert make_tournament(GAME, RULES, 3, "solo", 1).lineups == ((0,), (1,), (2,))
    assert make_tournament(GAME, RULES, 3, "round-robin", 2).lineups == ((0, 1), (0, 2), (1, 2))
    assert make_tournament(GAME, RULES, 2, "round-robin", 3).lineups == ((0, 1, 0), (1, 0, 1))
    assert make_tournament(GAME, RULES, 2, "one-against-all", 3).lineups == ((0, 1, 1), (1, 0, 0))
    assert make_tournament(GAME, RULES, 3, "one-against-all", 2).lineups == ((0, 1), (0, 2), (1, 2))
    assert make_tournament(GAME, RULES, 3, "tables", 3).lineups == ((0, 1, 2), (0, 2, 1))


@pytest.mark.parametrize(("strategies", "seats"), [(3, 3), (4, 3), (4, 4), (5, 2)])
def test_a_large_budget_plays_all_tables_once(strategies: int, seats: int) -> None:
    tables = choose_tables(GAME, RULES, strategies, seats, None, 1)
    turned = {tuple(line[who] for who in turn) for line in tables for turn in GAME.rotate(RULES, seats)}
    assert turned == set(itertools.permutations(range(strategies), seats))
    assert len(tables) == possible_tables(GAME, RULES, strategies, seats)


@given(st.integers(2, 9), st.integers(2, 6), st.integers(0, 30), st.integers(0, 99))
def test_a_budget_of_tables_is_kept(strategies: int, seats: int, more: int, seed: int) -> None:
    most = strategies + more
    tables = choose_tables(GAME, RULES, strategies, seats, most, seed)
    assert 0 < len(tables) <= most
    assert tables == choose_tables(GAME, RULES, strategies, seats, most, seed)
    turned = [frozenset(tuple(line[who] for who in turn) for turn in GAME.rotate(RULES, seats)) for line in tables]
    assert len(set(turned)) == len(turned), "no table twice"


def test_another_seed_chooses_other_tables() -> None:
    assert choose_tables(GAME, RULES, 8, 3, 16, 1) != choose_tables(GAME, RULES, 8, 3, 16, 2)


def test_resolve_format() -> None:
    assert resolve_format(GAME, RULES, "auto", None, 5) == ("solo", 1)
    assert resolve_format(GAME, RULES, "auto", 2, 5) == ("round-robin", 2)
    assert resolve_format(GAME, RULES, "auto", 4, 5) == ("tables", 4)
    assert resolve_format(GAME, RULES, "auto", 4, 3) == ("round-robin", 4)
    assert resolve_format(GAME, RULES, "tables", None, 3) == ("tables", 2)
    for format, seats, message in (
        ("rounds", None, "unknown format 'rounds'; there are: auto, one-against-all"),
        ("solo", 2, "format=solo does not fit seats=2"),
        ("tables", 1, "format=tables does not fit seats=1"),
        ("auto", 7, "seats=7 does not fit"),
    ):
        with pytest.raises(UsageError, match=message):
            resolve_format(GAME, RULES, format, seats, 3)


@pytest.mark.parametrize("format", [item for item in FORMATS if item != "solo"])
@pytest.mark.parametrize(("strategies", "seats"), [(2, 4), (5, 4), (2, 6), (3, 6), (4, 6), (3, 8), (5, 8)])
def test_a_team_plays_one_strategy_and_all_sit_everywhere(
    partners: Game, format: Format, strategies: int, seats: int
) -> None:
    rules = partners.variant("advanced")
    tournament = make_tournament(partners, rules, strategies, format, seats, lineups=20)
    taken, met = np.zeros((strategies, seats), int), 0
    for lineup, own in zip(tournament.lineups, tournament.own, strict=True):
        for seating in partners.rotate(rules, seats):
            seated = [lineup[place] for place in seating]
            assert seated[: seats // 2] == seated[seats // 2 :]
            met += sum((one, other) == (0, 1) for one, other in itertools.permutations(seated, 2))
            for seat, place in enumerate(seating):
                taken[lineup[place], seat] += own[place]
    assert (taken == taken[0, 0]).all()
    assert taken[0].sum() == tournament.scale
    assert tournament.meetings == (met if tournament.direct else 1)


def test_line_ups_of_teams(partners: Game) -> None:
    rules = partners.variant("advanced")

    def lines(strategies: int, format: Format, seats: int) -> list[str]:
        made = make_tournament(partners, rules, strategies, format, seats)
        return ["".join(map(str, lineup)) for lineup in made.lineups]

    assert lines(3, "round-robin", 4) == lines(3, "one-against-all", 4) == ["0101", "0202", "1212"]
    assert lines(3, "tables", 4) == ["0101", "0202", "1212"]
    assert lines(2, "round-robin", 6) == ["010010", "101101"]
    assert lines(2, "one-against-all", 6) == ["011011", "100100"]
    assert lines(3, "tables", 6) == ["012012", "021021"]
    assert lines(2, "round-robin", 8) == ["01010101"]
    assert [possible_tables(partners, rules, 5, seats) for seats in (4, 6, 8)] == [10, 20, 30]
    assert [possible_tables(partners, RULES, 5, seats) for seats in (2, 3, 4)] == [10, 20, 30]
    assert len(choose_tables(partners, rules, 5, 8, None, 1)) == 30
    assert len(choose_tables(partners, rules, 5, 8, 29, 1)) == 20


def test_formats_depend_on_how_many_can_win(partners: Game) -> None:
    rules = partners.variant("advanced")
    assert resolve_format(partners, RULES, "auto", None, 5) == ("round-robin", 2)
    assert resolve_format(partners, RULES, "auto", 4, 5) == ("tables", 4)
    assert resolve_format(partners, rules, "auto", None, 5) == ("round-robin", 4)
    assert resolve_format(partners, rules, "tables", None, 5) == ("tables", 4)
    assert resolve_format(partners, rules, "auto", 6, 3) == ("tables", 6)
    assert resolve_format(partners, rules, "auto", 8, 3) == ("round-robin", 8)
    with pytest.raises(UsageError, match="under these rules is for 4, 6 or 8 seats, not 5"):
        resolve_format(partners, rules, "auto", 5, 5)
    crosswise = find_game("crosswise")
    for seats in (2, 3, 4):
        assert resolve_format(crosswise, crosswise.variant(), "auto", seats, 5) == ("round-robin", seats)


@pytest.mark.parametrize(("format", "seats"), [("round-robin", 4), ("round-robin", 6), ("tables", 8)])
def test_a_team_finishes_once(partners: Game, format: Format, seats: int) -> None:
    rules = partners.variant("advanced")
    tournament = make_tournament(partners, rules, 4, format, seats)
    _check_orders_of_teams(tournament)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_team_that_grows_when_sides_are_changed_finishes_once(seats: int) -> None:
    crosswise = find_game("crosswise")
    _check_orders_of_teams(make_tournament(crosswise, crosswise.variant(), 3, "round-robin", seats))


def test_partners_may_sit_side_by_side_and_change_seats(partners: Game) -> None:
    rules = partners.variant("advanced")
    turns = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
    blocks = dataclasses.replace(
        partners, sides=lambda rules, seats: ("red", "red", "blue", "blue"), rotate=lambda rules, seats: turns
    )
    tournament = make_tournament(blocks, rules, 3, "round-robin", 4)
    assert tournament.lineups == ((0, 0, 1, 1), (0, 0, 2, 2), (1, 1, 2, 2))
    assert (tournament.scale, tournament.meetings) == (16, 16)
    _check_orders_of_teams(tournament)


def _check_orders_of_teams(tournament: Tournament) -> None:
    game, rules, seats = tournament.game, tournament.rules, tournament.seats
    players = ANYONE[: tournament.strategies]
    design = Design(game, rules, tournament.seated(players), seed=1, deals=40)
    teams, chance = game.party_of(rules, seats), np.random.default_rng(2)
    outcomes = design.new_outcomes(40)
    expected: dict[Finish, int] = {}
    for number, lineup in enumerate(tournament.lineups):
        for rotation, seating in enumerate(design.seatings(number)):
            for deal in range(40):
                winner = int(chance.integers(max(teams) + 1))
                outcomes[number][rotation, deal, :, RANK] = [1 if team == winner else 2 for team in teams]
                # Whose team won, and whose sat first, told by the strategies and teams of the line-up before rotation.
                placed = {
                    teams[place]: (lineup[place], 1 + (team != winner))
                    for team, place in zip(teams, seating, strict=True)
                }
                strategies, ranks = zip(*(placed[team] for team in range(max(teams) + 1)), strict=True)
                finish = Finish(strategies, ranks, teams[seating[0]] if max(teams) == 1 else -1)
                expected[finish] = expected.get(finish, 0) + 1
    orders = count_tournament(design, 0, outcomes, tournament=tournament, measure="score").orders
    finishes, _, places = read_orders(tournament, orders)
    read: dict[Finish, int] = {}
    for place, number in zip(places, orders.counts, strict=True):
        read[finishes[place]] = read.get(finishes[place], 0) + int(number)
    assert read == expected


def test_only_keeps_what_the_chosen_need() -> None:
    robin = make_tournament(GAME, RULES, 4, "round-robin", 2)
    assert robin.only([0, 1], "score").lineups == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3))
    alone = make_tournament(GAME, RULES, 3, "solo", 1)
    assert alone.only([2], "score").lineups == ((2,),)
    assert alone.only([2], "win").lineups == alone.lineups
    lone = make_tournament(GAME, RULES, 3, "one-against-all", 3)
    assert lone.only([2], "score").lineups == ((2, 0, 0), (2, 1, 1))


def test_solo_wins_count_others_twice_and_ties_once() -> None:
    assert solo_wins(np.array([[5], [3], [3], [1]])).ravel().tolist() == [6, 3, 3, 0]


@pytest.mark.parametrize(("format", "seats"), [("solo", 1), ("round-robin", 3), ("one-against-all", 3), ("tables", 2)])
def test_totals_are_those_of_a_plain_loop(format: Format, seats: int) -> None:
    tournament = make_tournament(GAME, RULES, 3, format, seats)
    design, outcomes, counts = counted(tournament)
    for column, moments in ((SCORE, counts.scores), (WIN, counts.wins)):
        totals = np.zeros((3, 40), int)
        for number, lineup in enumerate(tournament.lineups):
            for rotation, seating in enumerate(design.seatings(number)):
                for seat in range(seats):
                    if tournament.own[number][seating[seat]]:
                        totals[lineup[seating[seat]]] += outcomes[number][rotation, :, seat, column]
        assert (block_totals(design, outcomes, tournament, column) == totals).all()
        if column == WIN and format == "solo":
            totals = solo_wins(np.stack([array[0, :, 0, SCORE] for array in outcomes]).astype(np.int64))
        assert moments.sums == tuple(totals.sum(axis=1).tolist())
        assert moments.products == tuple(map(tuple, (totals @ totals.T).tolist()))
        assert moments.scale == tournament.scale


@pytest.mark.parametrize("measure", ["score", "win"])
@pytest.mark.parametrize(("format", "seats"), [("round-robin", 2), ("round-robin", 3), ("one-against-all", 3)])
def test_meetings_compare_every_two_seats(format: Format, seats: int, measure: str) -> None:
    tournament = make_tournament(GAME, RULES, 3, format, seats)
    design, outcomes, counts = counted(tournament, measure=measure)
    column = SCORE if measure == "score" else WIN
    for place, (a, b) in enumerate(itertools.combinations(range(3), 2)):
        values, lead, met = np.zeros(40, int), np.zeros(40, int), 0
        for number, lineup in enumerate(tournament.lineups):
            for rotation, seating in enumerate(design.seatings(number)):
                games = outcomes[number][rotation].astype(int)
                for i, j in itertools.permutations(range(seats), 2):
                    if (lineup[seating[i]], lineup[seating[j]]) == (a, b):
                        values += games[:, i, column] - games[:, j, column]
                        lead += games[:, i, RANK] < games[:, j, RANK]
                        lead -= games[:, i, RANK] > games[:, j, RANK]
                        met += 1
        assert counts.pairs.sums[place] == values.sum()
        assert counts.pairs.squares[place] == (values**2).sum()
        assert counts.pairs.leads[place] == lead.sum()
        assert counts.pairs.lead_squares[place] == (lead**2).sum()
        assert tournament.meetings == met


def test_totals_are_compared_where_nobody_meets_alone() -> None:
    tournament = make_tournament(GAME, RULES, 3, "solo", 1)
    _, outcomes, counts = counted(tournament)
    scores = [array[0, :, 0, SCORE].astype(int) for array in outcomes]
    leads = [np.sign(scores[a] - scores[b]) for a, b in itertools.combinations(range(3), 2)]
    assert counts.pairs.sums == counts.pairs.leads == tuple(int(lead.sum()) for lead in leads)
    assert counts.pairs.squares == counts.pairs.lead_squares == tuple(int((lead**2).sum()) for lead in leads)
    assert tournament.meetings == 1


@pytest.mark.parametrize(("format", "seats"), [("solo", 1), ("round-robin", 2), ("tables", 3)])
def test_parts_add_up_to_the_whole(format: Format, seats: int) -> None:
    tournament = make_tournament(GAME, RULES, 3, format, seats)
    _, outcomes, whole = counted(tournament)
    parts = [
        count_tournament(
            design_of(tournament, last - first, first),
            0,
            [array[:, first:last] for array in outcomes],
            tournament=tournament,
            measure="score",
        )
        for first, last in ((25, 40), (0, 25))
    ]
    both = parts[0] + parts[1]
    assert (both.scores, both.wins, both.pairs) == (whole.scores, whole.wins, whole.pairs)
    assert both.orders.keys.tolist() == whole.orders.keys.tolist()
    assert both.orders.counts.tolist() == whole.orders.counts.tolist()


def test_chosen_have_the_moments_that_they_have_among_all() -> None:
    tournament = make_tournament(GAME, RULES, 3, "round-robin", 2)
    _, outcomes, counts = counted(tournament)
    part = tournament.only([2], "win")
    design = design_of(part, 40)
    kept = [outcomes[tournament.lineups.index(lineup)] for lineup in part.lineups]
    moments = count_chosen(design, 0, kept, tournament=part, measure="win", chosen=(2,), scale=tournament.scale)
    assert moments.sums == counts.wins.sums[2:]
    assert moments.products[0][0] == counts.wins.products[2][2]
    assert moments.scale == counts.wins.scale


@pytest.mark.parametrize("seats", [2, 3])
def test_finishing_orders_are_read_back(seats: int) -> None:
    tournament = make_tournament(GAME, RULES, 3, "tables", seats)
    design, outcomes, counts = counted(tournament)
    expected: dict[tuple[int, Finish], int] = {}
    for number, lineup in enumerate(tournament.lineups):
        for rotation, seating in enumerate(design.seatings(number)):
            for deal in range(40):
                ranks = outcomes[number][rotation, deal, :, RANK].tolist()
                by_place = tuple(ranks[seating.index(place)] for place in range(seats))
                order = (deal % 64, Finish(lineup, by_place, seating[0] if seats == 2 else -1))
                expected[order] = expected.get(order, 0) + 1
    finishes, groups, places = read_orders(tournament, counts.orders)
    read = {
        (int(group), finishes[place]): int(number)
        for group, place, number in zip(groups, places, counts.orders.counts, strict=True)
    }
    assert read == expected


def test_orders_add_equal_keys() -> None:
    both = Orders(np.array([1, 4]), np.array([2, 3])) + Orders(np.array([0, 4]), np.array([5, 6]))
    assert (both.keys.tolist(), both.counts.tolist()) == ([0, 1, 4], [5, 2, 9])


def test_units() -> None:
    solo = make_tournament(GAME, RULES, 4, "solo", 1)
    assert (solo.value_unit("score"), solo.value_unit("win")) == (1, 6)
    assert make_tournament(GAME, RULES, 4, "round-robin", 2).value_unit("win") == WIN_UNIT


@pytest.mark.parametrize(
    ("strategies", "lineups", "message"),
    [
        (1, None, "a ranking needs two strategies or more, not 1"),
        (5, 4, "lineups=4 are too few to seat all alike: 5 strategies need 5"),
        (5, 0, "lineups=0 does not fit"),
    ],
)
def test_refusals(strategies: int, lineups: int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_tournament(GAME, RULES, strategies, "tables", 3, lineups=lineups)
