"""Each player of CrossWays does what it says, in positions of all kinds and under all rules."""

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sims.crossways import CROSSWAYS, CrossWaysRules
from sims.crossways.facts import UNDECIDED
from sims.crossways.kernel import begin_turn
from sims.crossways.plays import can_play, markers_needed_after, random_move
from sims.crossways.rules import VARIANTS
from sims.game import SCORE, WIN, WIN_UNIT
from sims.jit import COMPILED
from sims.table import Table
from strategies import Strategy, builtin_restrictions, builtin_strategies, find_strategy, heuristic
from strategies.specs import quick_strategies
from tests.reference import crossways as literal
from tests.reference.crossways import Move, Pass
from tests.sims.crossways.positions import (
    GOALS,
    Position,
    another_world,
    cell_at,
    code,
    hidden_of,
    position_of,
    random_rules,
    read,
    stream,
    views_of,
)
from tests.strategies.crossways.models import (
    BLUE_NEARLY_DOWN,
    FAR,
    NEARLY_DOWN,
    Seen,
    choice,
    choices,
    closing_gain,
    is_rushing,
    is_straight,
    openings,
    random_ones,
    some,
    wins_by_placing,
    word_of,
)

BASIC = CrossWaysRules()
PLAIN = {"double_down": False, "king_of_the_mountain": False, "diagonals": False}
PLAYERS = [player.name for player in builtin_strategies(CROSSWAYS.name)]
RESTRICTIONS = [restriction.name for restriction in builtin_restrictions(CROSSWAYS.name)]
WINNERS = ["rusher", "balanced", "hoarder", "blocker", "closer", "planner", "seer:rounds=2"]  # take a pair that wins
WEIGHING = ["blocker", "closer", "planner"]
SEER = "seer:rounds=2"
SPECS = [*(name for name in PLAYERS if name != "seer"), "hoarder:danger=0", "hoarder:danger=9"]
SPECS += [SEER] if COMPILED else []  # plain Python takes half a second for a move of it

compiled_only = pytest.mark.skipif(not COMPILED, reason="plays too many games for plain Python")


def table(specs: Iterable[str | Strategy], rules: CrossWaysRules = BASIC) -> Table:
    lineup = [find_strategy(CROSSWAYS.name, spec) if isinstance(spec, str) else spec for spec in specs]
    return Table(CROSSWAYS, rules, [one.player() for one in lineup])


def outcomes(specs: Iterable[str | Strategy], deals: int, rules: CrossWaysRules = BASIC, seed: int = 1) -> Any:
    played = table(specs, rules)
    rows = played.new_outcomes(deals)
    played.play(seed, 0, rows)
    return rows


# --- All players -----------------------------------------------------------------------------------------------------


def test_these_players_are_there() -> None:
    fast = {"straight-line", "rusher", "balanced"}
    assert set(PLAYERS) == {"uniform", "idle", "hoarder", "seer", *fast, *WEIGHING}
    tagged = {
        tag: {player.name for player in builtin_strategies(CROSSWAYS.name) if tag in player.tags}
        for tag in ("weak", "baseline", "fast", "strong", "slow")
    }
    strong = {"planner", "seer"}
    assert tagged == {"weak": {"idle"}, "baseline": {"uniform"}, "fast": fast, "strong": strong, "slow": {"seer"}}
    assert {player.name for player in quick_strategies(CROSSWAYS.name)} == {*PLAYERS} - {"seer"}


@pytest.mark.parametrize("name", PLAYERS)
def test_player_gives_its_reasons(name: str) -> None:
    player = find_strategy(CROSSWAYS.name, name)
    assert 0 < len(player.summary) <= 110
    assert name == "idle" or len(player.doc.split("\n\n")) > 1
    assert all(parameter.doc and parameter.low < parameter.high for parameter in player.parameters)


def test_restrictions_say_what_they_forbid() -> None:
    assert RESTRICTIONS == ["pairs", "runs", "jokers", "whites", "closing"]
    assert all(0 < len(item.doc.splitlines()[0]) <= 70 for item in builtin_restrictions(CROSSWAYS.name))


def tables() -> list[CrossWaysRules]:
    """Every variant, every goal, and options at random."""
    source = random.Random(40)
    options = [*VARIANTS.values(), *({"goal": goal} for goal in GOALS)]
    mixed = [literal_options(source) for _ in range(8)]
    return [CrossWaysRules(**{"turn_limit": 80 if COMPILED else 10, **one}) for one in [*options, *mixed]]


def literal_options(source: random.Random) -> dict[str, Any]:
    rules = random_rules(source, turn_limit=60 if COMPILED else 8)
    return {name: getattr(rules, name) for name in rules.__dataclass_fields__}


@pytest.mark.parametrize("spec", SPECS)
def test_player_is_legal_under_all_rules(spec: str) -> None:
    """With every number of seats, teams among them: an illegal move would raise."""
    rules = tables()
    for number, one in enumerate(rules if COMPILED else rules[number_of(spec) :: 7]):
        seats = literal.SEATS[one.team_size]
        for count in seats if COMPILED else [seats[number % 3]]:
            rows = outcomes([spec] * count, some(2, 1), one, seed=number)
            assert (rows[..., SCORE] <= 1).all()


def number_of(spec: str) -> int:
    return SPECS.index(spec) % 7


@pytest.mark.parametrize("spec", ["idle", *WEIGHING, SEER])
def test_of_two_jokers_the_first_one_is_discarded(spec: str) -> None:
    """Or a card of the hand; the board is such that nothing can be played."""
    stacks = dict.fromkeys(["a3", "b5", "c1", "c3"], "00")
    position = position_of(stacks, "KS KD JOKER JOKER", markers=8, jokers_wild=True, discard_on_pass=True)
    assert isinstance(choice(spec, position), Pass)


@pytest.mark.parametrize("spec", SPECS)
def test_player_is_legal_in_all_positions(spec: str) -> None:
    """Says the literal engine, and not only in positions that it brings about itself."""
    kinds = Counter[str]()
    for number, seen in enumerate(random_ones(some(100, 15), 41, near=True)):
        played = choice(spec, seen.position, number)
        kinds["pass" if isinstance(played, Pass) else played.kind] += 1
    assert len(kinds) > 2 or spec == "idle"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_players_sit_at_one_table(seats: int) -> None:
    for lineup in zip(*(np.roll(SPECS, turned) for turned in range(seats)), strict=True):
        rules = BASIC.replace(turn_limit=400 if COMPILED else 12)
        rows = outcomes([str(name) for name in lineup], some(5, 1), rules)
        decided = rows[:, 0, UNDECIDED] == 0
        assert (rows[..., WIN].sum(axis=1) == WIN_UNIT * decided).all()


@pytest.mark.parametrize("spec", SPECS)
def test_player_is_deterministic(spec: str) -> None:
    rules, deals = BASIC.replace(turn_limit=100 if COMPILED else 15), some(10, 2)
    first, log = table([spec, "balanced"], rules).log(3, 10, deals)
    again, log_again = table([spec, "balanced"], rules).log(3, 10, deals)
    assert (first == again).all()
    assert (log.moves == log_again.moves).all()
    other, log_other = table([spec, "balanced"], rules).log(3, 11, deals - 1)
    assert (first[1:] == other).all()
    assert (log.moves[1:] == log_other.moves).all()


@pytest.mark.parametrize("spec", [*SPECS, *({SEER} - {*SPECS})])
def test_player_leaves_the_view_as_it_was(spec: str) -> None:
    for number, seen in enumerate(random_ones(some(30, 6), 42)):
        view = seen.position.view
        before = view.tobytes()
        word_of(spec, view, number)
        assert view.tobytes() == before


@pytest.mark.parametrize("spec", SPECS)
def test_player_sees_nothing_hidden(spec: str) -> None:
    """The kernel shows it the same table with other hands and another deck: it does the same."""
    source = random.Random(43)
    for number, seen in enumerate(random_ones(some(25, 5), 43)):
        position = seen.position
        answers = set()
        for state in (position.state, *(another_world(position.state, position.seat, source) for _ in range(3))):
            view, hidden = views_of(state, (position.seat + 1) % len(state.hands))[0], hidden_of(state)
            view.turn = state.turn - 1
            view.hand_limit = literal.hand_size(state.rules)
            assert begin_turn(view, hidden) == position.seat
            answers.add(word_of(spec, view, number))
        assert len(answers) == 1


def with_suits_exchanged(position: Position) -> Position:
    """The same table in which hearts are diamonds, and spades clubs."""
    other = str.maketrans("DHCS", "HDSC")

    def renamed(cards: list[str]) -> list[str]:
        return [card if card == literal.JOKER else card[:-1] + card[-1].translate(other) for card in cards]

    state = position.after(Pass())
    state.passes, state.turn = position.state.passes, position.state.turn
    state.hands, state.deck = [renamed(hand) for hand in state.hands], renamed(state.deck)
    state.discards = renamed(state.discards)
    return Position(state, position.seat)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec not in ("uniform", SEER)])
def test_suits_of_a_colour_are_alike(spec: str) -> None:
    """Which of two equal plays is made is a matter of draws, so all that it does with many draws is compared.

    What the seer deals for its rounds depends on the order of suits in the deck: a few rounds differ by chance.
    """
    compared = 0
    for seen in random_ones(some(60, 8), 44, near=True, decks=4):
        draws = some(200, 40)
        here, there = (
            {without_suits(played) for played in choices(spec, position, draws)}
            for position in (seen.position, with_suits_exchanged(seen.position))
        )
        if len(here) <= 4:
            assert here == there
            compared += 1
    assert compared > some(5, 1)


def without_suits(played: Move | Pass) -> Any:
    if isinstance(played, Pass):
        return tuple(sorted(card[:-1] for card in played.discarded))
    removed = tuple(sorted((marker.cell, marker.team) for marker in played.removed))
    return played.kind, len(played.cards), tuple(sorted(played.placed)), removed


# --- Winning at once -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", WINNERS)
def test_player_wins_at_once_by_what_it_places(spec: str) -> None:
    """By a single card or by cards of a rank, under all rules and goals."""
    won = 0
    for number, seen in enumerate(random_ones(some(300, 80), 45, near=True, hand=5, markers=24)):
        if wins_by_placing(seen):
            board = seen.after(choice(spec, seen.position, number))
            assert literal.has_path(seen.rules, board, seen.team)
            won += 1
    assert won > some(20, 2)


@pytest.mark.parametrize("spec", WINNERS)
def test_a_pair_that_wins_is_taken(spec: str) -> None:
    position = position_of(NEARLY_DOWN, "KS KH 2D 4C 7D")
    for played in choices(spec, position, some(20, 5)):
        assert (played.kind, set(played.placed)) == ("pair", {cell_at("g5"), cell_at("h5")})


@pytest.mark.parametrize("spec", ["rusher", "balanced", "hoarder"])
def test_a_single_card_that_wins_is_taken_rather_than_a_pair(spec: str) -> None:
    position = position_of({**NEARLY_DOWN, "g5": "0"}, "KS KH 2D 4C 7D")
    assert choices(spec, position, some(20, 5)) == {Move("single", ("2D",), (cell_at("h5"),))}


# --- Those that run --------------------------------------------------------------------------------------------------


def test_rusher_takes_what_leaves_it_fewest_to_go() -> None:
    kinds = Counter[str]()
    for number, seen in enumerate(random_ones(some(400, 60), 46, near=True)):
        played = choice("rusher", seen.position, number)
        if isinstance(played, Pass):
            assert not literal.has_play(seen.position.situation)
            continue
        if played.kind == "run" and (seen.rules.double_down or seen.rules.king_of_the_mountain):
            continue  # see the tests of racing: what was hidden and counts again
        assert is_rushing(seen, played)
        kinds[played.kind] += 1
    assert {"single", "pair", "run"} <= set(kinds)


def test_rusher_goes_around_what_is_closed() -> None:
    """Blue has closed g5; green goes on beside it, and needs four more."""
    position = position_of({**NEARLY_DOWN, "g5": "11"}, "KS KH 10C 4C 7D")
    seen = Seen(position)
    assert seen.way().cost == 4
    for played in choices("rusher", position, some(20, 5)):
        assert played.kind == "pair"
        assert seen.way(board=seen.after(played)).cost == 2


def test_rusher_opens_a_square_only_where_that_brings_it_nearer() -> None:
    """A wall of two closed rows but for one square, and no pair: the run opens it; else it lets runs be."""
    wall = {f"g{place}": "11" for place in range(1, 9)}
    position = position_of({**NEARLY_DOWN, **wall}, "5S 6S 4H JH QC")
    seen = Seen(position)
    assert min(openings(seen).values()) < seen.way().cost
    # h4 and h6 belong to nobody: only a run helps, or single cards on the way from left to right.
    fitting = seen.reached(seen.way().open)
    for played in choices("rusher", position, some(20, 5)):
        assert played.kind == ("single" if fitting else "run")
    no_singles = position_of({**NEARLY_DOWN, **wall}, "5S 6S")
    closed = Seen(no_singles)
    if not closed.reached(closed.way().open):
        for played in choices("rusher", no_singles, some(20, 5)):
            assert played.kind == "run"
            assert closed.way(board=closed.after(played)).cost < closed.way().cost


def test_rusher_sees_nobody_else() -> None:
    """Blue wins with its next card; green has cards to stop it, and goes its own way."""
    position = position_of({**BLUE_NEARLY_DOWN, "g5": "1", "a1": "0"}, "KS KH 6D 4C 7D")
    seen = Seen(position)
    assert seen.nearest() == 1
    placed = {cell for played in choices("rusher", position, some(60, 20)) for cell in played.placed}
    assert placed <= seen.way().open | {cell for cell in literal.CELLS if cell == cell_at("h5")}
    for played in choices("rusher", position, some(60, 20)):
        assert seen.way(board=seen.after(played)).cost == seen.way().cost - 2


@pytest.mark.parametrize("spec", ["rusher", "straight-line", "balanced"])
def test_without_markers_own_ones_off_the_way_are_taken_back(spec: str) -> None:
    """Eight markers, seven of them in column 4; the eighth lies apart, and green holds a run."""
    position = position_of({**NEARLY_DOWN, "a1": "0"}, "2D 3D KS KH 7C", markers=8)
    seen = Seen(position)
    assert seen.supply == 0
    for played in choices(spec, position, some(20, 5)):
        assert played.kind == "run"
        assert cell_at("a1") in {marker.cell for marker in played.removed} or spec == "straight-line"


def test_straight_line_fills_the_line_that_needs_fewest() -> None:
    kinds = Counter[str]()
    for number, seen in enumerate(random_ones(some(400, 60), 47, near=True)):
        played = choice("straight-line", seen.position, number)
        if isinstance(played, Pass):
            assert not literal.has_play(seen.position.situation)
            continue
        assert is_straight(seen, played)
        kinds[played.kind] += 1
    assert {"single", "pair", "run"} <= set(kinds)


def test_straight_line_stays_on_its_line_until_it_is_closed() -> None:
    """Three markers in row 4; then blue closes a square of it."""
    row = {f"d{place}": "0" for place in (1, 2, 3)}
    line = {cell_at(f"d{place}") for place in range(4, 9)}
    for hand in ("KS KH", "6S JD", "KS KH KD"):
        for played in choices("straight-line", position_of(row, hand), some(20, 5)):
            assert set(played.placed) <= line
    closed = position_of({**row, "d5": "11"}, "KS KH")
    placed = {cell for played in choices("straight-line", closed, some(40, 15)) for cell in played.placed}
    assert not placed & line
    assert not Seen(closed).way().open <= placed  # the way around has d4, which it does not see


@compiled_only
@pytest.mark.parametrize("goal", GOALS)
def test_straight_line_completes_a_line_of_every_goal(goal: str) -> None:
    """Alone with somebody who passes it ends at every goal, if it has the markers; so does `rusher`."""
    rules = CrossWaysRules(goal=goal, turn_limit=300)
    for spec in ("straight-line", "rusher"):
        rows = outcomes([spec, "idle"], 40, rules, seed=4)
        assert (rows[:, 0, WIN] == WIN_UNIT).mean() > 0.45


# --- Those that look at others ---------------------------------------------------------------------------------------


def claims(seen: Seen) -> list[int]:
    """What plays that are easy to find gain, from what the others need minus what the own team needs."""
    way, least = seen.way(), seen.nearest()
    has = {cell for cell in literal.CELLS if seen.team in seen.board.stacks[cell]}
    near = [team for team in seen.others if seen.way(team).cost == least]
    theirs = {cell for team in near for cell in seen.way(team).open}
    if len(theirs) > 12:  # none of so many is on all ways
        theirs = set()
    gains = [1] if seen.reached(way.open) else []
    gains += [closing_gain(seen, cell) for cell in theirs & has if seen.reached([cell])]
    markers = seen.most_of_a_rank
    if markers and way.cost < FAR:
        lost = bool(way.white) and markers > 2  # white squares take two; the last marker may be one too few
        gains.append(min(markers, way.cost) - lost)
        whites = {cell for team in near for cell in seen.way(team).white}
        closings = [closing_gain(seen, cell) for cell in (theirs - has) | way.white | whites]
        gains += [max(closings) + min(markers - 2, way.cost) - lost] if closings else []
    return gains


def test_balanced_gains_what_it_could() -> None:
    """Measured on the literal board, whatever it plays: at least what singles and pairs are known to gain."""
    kinds = Counter[str]()
    for number, seen in enumerate(random_ones(some(250, 50), 48, near=True, **PLAIN)):
        played = choice("balanced", seen.position, number)
        if isinstance(played, Pass):
            assert not literal.has_play(seen.position.situation)
            continue
        board = seen.after(played)
        gain = seen.lead(board) - seen.lead()
        known = max(claims(seen), default=0)
        assert literal.has_path(seen.rules, board, seen.team) or known <= 0 or gain >= known or several(seen, played)
        kinds[played.kind] += 1
    assert {"single", "pair", "run"} <= set(kinds)


def several(seen: Seen, played: Move) -> bool:
    """A run of more markers than bring something; see the tests of racing for what the rest of them may spoil."""
    return played.kind == "run" and len(played.removed) > 1 and seen.lead(seen.after(played)) >= seen.lead()


def test_balanced_takes_a_run_when_that_gains_more_than_a_single_card() -> None:
    """Each marker of blue's column is worth one; the other cards bring one together."""
    seen = Seen(position_of({**BLUE_NEARLY_DOWN, "g5": "1"}, "7D 6D 9C 4C JH"))
    assert seen.nearest() == 1
    for played in choices("balanced", seen.position, some(20, 5)):
        assert played.kind == "run"
        assert seen.lead(seen.after(played)) == seen.lead() + 2


@pytest.mark.parametrize("spec", ["balanced", "hoarder", *WEIGHING])
def test_a_pair_stops_others_who_would_win(spec: str) -> None:
    """Blue lacks h5 only: both kings go there."""
    position = position_of({**BLUE_NEARLY_DOWN, "g5": "1"}, "KS KH 6D 4C 7D")
    for played in choices(spec, position, some(20, 5)):
        assert (played.kind, played.placed) == ("pair", (cell_at("h5"),) * 2)


@pytest.mark.parametrize("spec", ["balanced", "hoarder", *WEIGHING, SEER])
def test_a_single_card_closes_a_square_that_has_one_of_its_own(spec: str) -> None:
    """Green has a marker on h5, the last square that blue lacks, and the two that shows it."""
    position = position_of({**BLUE_NEARLY_DOWN, "g5": "1", "h5": "0"}, "2H 9C 4S JC KD")
    for played in choices(spec, position, some(20, 5)):
        assert played == Move("single", ("2H",), (cell_at("h5"),))


@pytest.mark.parametrize("spec", ["balanced", "hoarder", *WEIGHING])
def test_of_two_others_the_nearest_one_is_stopped(spec: str) -> None:
    """Yellow needs three, blue one."""
    yellow = dict.fromkeys(["a6", "b6", "c6", "d6"], "2")
    position = position_of({**BLUE_NEARLY_DOWN, "g5": "1", **yellow}, "KS KH 6D 4C 7D", seats=3)
    for played in choices(spec, position, some(20, 5)):
        assert (played.kind, played.placed) == ("pair", (cell_at("h5"),) * 2)


@pytest.mark.parametrize("hand", ["KS KH QD", "KS KH KC QD"])
def test_balanced_gains_nothing_by_a_pair_when_it_is_blocked(hand: str) -> None:
    """Blue has closed row 1, yellow column 1: whatever green places, it gets nowhere, and nor do they."""
    stacks = dict.fromkeys([f"a{place}" for place in range(1, 9)], "11")
    stacks |= dict.fromkeys([f"{row}1" for row in "bcdefgh"], "22")
    seen = Seen(position_of(stacks, hand, seats=3))
    assert seen.way().cost == FAR
    for played in choices("balanced", seen.position, some(20, 5)):
        assert played.kind == "single"


def test_balanced_opens_a_way_when_it_is_blocked() -> None:
    stacks = dict.fromkeys([f"a{place}" for place in range(1, 9)], "11")
    stacks |= dict.fromkeys([f"{row}1" for row in "bcdefgh"], "22")
    seen = Seen(position_of(stacks, "KS KH 3D 4D 5D", seats=3))
    for played in choices("balanced", seen.position, some(10, 3)):
        assert played.kind == "run"
        assert seen.way(board=seen.after(played)).cost < FAR


@pytest.mark.parametrize("spec", ["rusher", "balanced"])
def test_a_pair_takes_a_white_square_when_that_leaves_fewer(spec: str) -> None:
    """All ways of green cost three: a white square, and an open one."""
    row = dict.fromkeys(["d1", "d2", "d3", "d4", "d5", "d6"], "0")
    around = dict.fromkeys(["c8", "e8", "c6", "e6"], "11")
    seen = Seen(position_of({**row, **around}, "KS KH"))
    assert seen.way() == (3, {cell_at("d8")}, {cell_at("d7")}, {cell_at(name) for name in row})
    for played in choices(spec, seen.position, some(20, 5)):
        assert seen.way(board=seen.after(played)).cost == 1


def test_a_single_card_closes_another_square_than_the_best() -> None:
    """Green has a marker on both squares that blue lacks; its two closes h5, and nothing fits g5."""
    board = {**BLUE_NEARLY_DOWN, "g5": "0", "h5": "0", "e3": "00", "f4": "00"}
    seen = Seen(position_of(board, "2H 9C 4S JC KD"))
    gains = {name: closing_gain(seen, cell_at(name)) for name in ("g5", "h5")}
    assert gains["g5"] > gains["h5"] > 1
    for played in choices("balanced", seen.position, some(20, 5)):
        assert played == Move("single", ("2H",), (cell_at("h5"),))


def test_hoarder_keeps_pairs_until_the_others_are_near() -> None:
    """It has nine to go, as blue has: singles. When blue has come near enough the pair is played."""
    far = position_of({"a4": "1"}, "KS KH 6D 2C 9S")
    assert {played.kind for played in choices("hoarder", far, some(30, 8))} == {"single"}
    spare = {played.cards for played in choices("hoarder", far, some(30, 8))}
    assert spare <= {("6D",), ("2C",), ("9S",)}
    assert {played.kind for played in choices("hoarder:danger=9", far, some(30, 8))} == {"pair"}
    near = position_of({**BLUE_NEARLY_DOWN, "g5": "1"}, "KS KH 6D 4C 7D")
    assert {played.kind for played in choices("hoarder", near, some(30, 8))} == {"pair"}
    assert {played.kind for played in choices("hoarder:danger=0", near, some(30, 8))} == {"single"}


def test_danger_is_what_the_nearest_others_need() -> None:
    """Blue needs two: `danger` 2 is danger, 1 is not."""
    position = position_of(BLUE_NEARLY_DOWN, "KS KH 6D 4C 7D")
    assert Seen(position).nearest() == 2
    for danger, kind in ((0, "single"), (1, "single"), (2, "pair"), (3, "pair")):
        assert {one.kind for one in choices(f"hoarder:danger={danger}", position, some(20, 5))} == {kind}


# --- Those that do little --------------------------------------------------------------------------------------------


def test_idle_passes_whenever_it_may() -> None:
    for number, seen in enumerate(random_ones(some(150, 30), 49)):
        played = choice("idle", seen.position, number)
        if seen.rules.may_pass:
            assert isinstance(played, Pass)
        else:
            assert isinstance(played, Pass) != bool(can_play(seen.position.view))


def test_idle_plays_at_random_when_it_must() -> None:
    position = position_of({}, "6D KS", may_pass=False)
    assert len(choices("idle", position, some(100, 30))) == len(choices("uniform", position, some(100, 30))) == 4


def test_uniform_draws_the_cards_first() -> None:
    """A pair has very many plays and a single card two; each is played as often."""
    position = position_of({}, "6D KS KH")
    draws = [choice("uniform", position, start) for start in range(some(3_000, 400))]
    cards = Counter(played.cards for played in draws)
    assert set(cards) == {("6D",), ("KS",), ("KH",), ("KH", "KS")}
    assert stats.chisquare(list(cards.values())).pvalue > 1e-4
    squares = Counter(played.placed for played in draws if played.cards == ("6D",))
    assert len(squares) == 2
    assert stats.chisquare(list(squares.values())).pvalue > 1e-4
    assert len({played.placed for played in draws if played.kind == "pair"}) > some(200, 40)


# --- Restrictions ----------------------------------------------------------------------------------------------------


def forbidden(name: str, seen: Seen, played: Move) -> bool:
    """What a restriction says that it forbids."""
    if name in ("pairs", "runs", "jokers"):
        return name[:-1] in played.kind.split("-")  # a pair-and-run is both
    if name == "whites":
        return any(seen.board.squares[cell] == literal.WHITE for cell in played.placed)
    stacks = seen.after(played).stacks
    return any(stacks[cell].count(seen.team) > 1 for cell in played.placed)


@pytest.mark.parametrize("name", RESTRICTIONS)
def test_restrictions_say_what_they_are(name: str) -> None:
    (restriction,) = (item for item in builtin_restrictions(CROSSWAYS.name) if item.name == name)
    met = Counter[bool]()
    for number, seen in enumerate(random_ones(some(100, 30), 50, may_pass=True)):
        view = seen.position.view
        for word in [int(random_move(view, stream(number))), *CROSSWAYS.moves(view)[::20]]:
            played = read(view, word)
            if isinstance(played, Pass):
                continue
            found = bool(restriction.function(view, np.uint64(word), np.zeros(1)))
            assert found == forbidden(name, seen, played)
            met[found] += 1
    assert met[True]
    assert met[False]
    assert not restriction.function(position_of({}, "6D").view, np.uint64(0), np.zeros(1))  # a pass


def test_a_marker_that_replaces_its_own_closes_nothing() -> None:
    (restriction,) = (item for item in builtin_restrictions(CROSSWAYS.name) if item.name == "closing")
    position = position_of({"d1": "0", "d3": "0"}, "KS KH 3D 4D", pairs_and_runs=True)
    removed = tuple(literal.Marker(cell_at(name), 0, 0) for name in ("d1", "d3"))
    played = Move("pair-and-run", ("3D", "4D", "KH", "KS"), (cell_at("d1"), cell_at("d4")), removed)
    assert position.refusal(played) is None
    word = np.uint64(code(position.hand, played))
    assert not restriction.function(position.view, word, np.zeros(1))


@pytest.mark.parametrize("name", RESTRICTIONS)
@pytest.mark.parametrize("base", ["uniform", "balanced"])
def test_restricted_players_obey(base: str, name: str) -> None:
    """Unless all that is worth a look is forbidden."""
    spec = f"restrict({base},never={name})"
    obeyed = 0
    for number, seen in enumerate(random_ones(some(100, 10), 51, near=True, may_pass=True)):
        free, kept = choice(base, seen.position, number), choice(spec, seen.position, number)
        if isinstance(kept, Move):
            assert not forbidden(name, seen, kept)
        if isinstance(free, Move):
            obeyed += forbidden(name, seen, free)
    assert obeyed or not COMPILED


# --- Players of one's own, and what is around them -------------------------------------------------------------------


@heuristic(CROSSWAYS.name)
def nearer(view: Any, move: Any, params: Any) -> Any:
    """What the next team needs less what its own needs: ten lines are enough for that."""
    team, teams = np.int64(view.team), np.int64(view.teams)
    other = (team + 1) % teams
    theirs = min(markers_needed_after(view, move, other), 30)
    return float(theirs) - float(min(markers_needed_after(view, move, team), 30))


def test_a_heuristic_by_value_takes_the_best_of_what_is_listed() -> None:
    player = nearer.player()
    assert player.valuer is not None
    for seen in random_ones(some(20, 4), 52, near=True, hand=3, decks=1):
        if len(seen.others) > 1:
            continue
        plays = CROSSWAYS.moves(seen.position.view)
        leads = {}
        for word in plays[:: some(7, 40)]:
            played = read(seen.position.view, word)
            board = seen.board if isinstance(played, Pass) else seen.after(played)
            theirs, mine = (min(seen.way(team, board).cost, 30) for team in (seen.others[0], seen.team))
            leads[word] = theirs - mine
        values = {word: nearer.function(seen.position.view, np.uint64(word), np.zeros(1)) for word in leads}
        assert values == leads


@compiled_only
def test_a_heuristic_by_value_plays_well() -> None:
    share, error = share_of_wins(nearer, "rusher", 400)
    assert share - 4 * error > 0.5


@pytest.mark.parametrize(
    "spec", ["noisy(balanced,0.3)", "noisy(restrict(rusher,never=pairs),0.5)", "rollout(rusher,1)"]
)
def test_wrapped_players_play(spec: str) -> None:
    rules = CrossWaysRules(hand=3, turn_limit=12 if COMPILED else 4)
    for seats in (2, 3) if COMPILED else (2,):
        rows = outcomes([spec, *["balanced"] * (seats - 1)], some(3, 1), rules)
        assert (rows[..., SCORE] <= 1).all()


@compiled_only
def test_errors_cost_strength() -> None:
    share, error = share_of_wins("balanced", "noisy(balanced,0.3)", 200)
    assert share - 4 * error > 0.5


# --- How strong they are ---------------------------------------------------------------------------------------------


def share_of_wins(first: str | Strategy, second: str | Strategy, deals: int) -> tuple[float, float]:
    """The share of wins of the first, undecided games half, and its standard error; a block has both seatings."""
    forth, back = outcomes([first, second], deals), outcomes([second, first], deals)
    gained = (forth[:, 0, WIN].astype(float) - forth[:, 1, WIN] + back[:, 1, WIN] - back[:, 0, WIN]) / WIN_UNIT
    blocks = 0.5 + gained / 4
    return float(blocks.mean()), float(blocks.std(ddof=1) / np.sqrt(deals))


@compiled_only
@pytest.mark.parametrize("name", [spec for spec in SPECS if spec not in ("uniform", "idle")])
def test_idle_loses_to_every_player(name: str) -> None:
    share, error = share_of_wins(name, "idle", 200)
    assert share - 4 * error > 0.9


@compiled_only
@pytest.mark.parametrize(
    ("better", "worse", "least"),
    [
        ("rusher", "straight-line", 0.53),
        ("balanced", "rusher", 0.63),
        ("closer", "rusher", 0.63),
        ("planner", "balanced", 0.53),
        ("planner", "rusher", 0.7),
        ("hoarder", "straight-line", 0.52),
    ],
)
def test_order_of_strength(better: str, worse: str, least: float) -> None:
    share, error = share_of_wins(better, worse, 2_000)
    assert share - 4 * error > least


@pytest.mark.slow
@compiled_only
def test_a_round_ahead_makes_the_planner_stronger() -> None:
    """It wins 1 to 2 games in a hundred more: far less than a quick test could see."""
    deals = 10_000
    with_it, error = share_of_wins("seer", "rusher", deals)
    without, error_without = share_of_wins("planner", "rusher", deals)
    assert with_it - without > 2 * float(np.hypot(error, error_without))
