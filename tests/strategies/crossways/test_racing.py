"""The parts that the players of CrossWays share, against sets of squares and the literal engine."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from scipy import stats

from sims.bits import Word
from sims.crossways.hands import make_set
from sims.crossways.plays import finish_move, start_move
from strategies.crossways import racing
from tests.reference import crossways as literal
from tests.sims.crossways.positions import (
    GOALS,
    cards_named,
    cell_at,
    cell_of,
    face_of,
    number_of,
    position_of,
    read,
    stream,
)
from tests.strategies.crossways.models import (
    FAR,
    Line,
    Seen,
    cells_in,
    cheapest_lines,
    closed_by,
    closing_gain,
    has_loose,
    is_advance,
    is_anybodys,
    is_filling,
    new_layers,
    open_squares,
    openings,
    random_ones,
    some,
    spots_of,
    with_markers,
    without_top,
    word,
)

PLAIN = {"double_down": False, "king_of_the_mountain": False, "diagonals": False}


def facts_of(seen: Seen) -> Any:
    return racing.survey(seen.position.view, new_layers())


def entry_of(seen: Seen, kind: int, cards: tuple[str, ...]) -> Any:
    """Cards of the hand as an entry of the view's sets."""
    return Word(make_set(kind, cards_named(seen.position.hand, cards)))


def started(seen: Seen, kind: int, cards: tuple[str, ...]) -> Any:
    return Word(start_move(entry_of(seen, kind, cards)))


def played(seen: Seen, move: Any) -> literal.Move:
    """A move that was begun, in words; it is legal."""
    told = read(seen.position.view, int(finish_move(Word(move))))
    assert isinstance(told, literal.Move)
    assert seen.position.refusal(told) is None
    return told


def counting_cells(seen: Seen, board: literal.Board, team: int) -> set[literal.Cell]:
    return {cell for cell in literal.CELLS if literal.counts(seen.rules, board, team, cell)}


def closed_cells(board: literal.Board) -> set[literal.Cell]:
    return {cell for cell in literal.CELLS if literal.is_closed(board, cell)}


def own_word(seen: Seen) -> Any:
    return word(counting_cells(seen, seen.board, seen.team))


# --- What is known of the teams --------------------------------------------------------------------------------------


def test_survey_knows_what_every_team_needs_and_where() -> None:
    for seen in random_ones(some(150, 50), 1):
        facts = facts_of(seen)
        for team in range(seen.position.state.teams):
            assert cells_in(facts[team, racing.OWN]) == counting_cells(seen, seen.board, team)
            squares = (cells_in(facts[team, fact]) for fact in (racing.KEY_OPEN, racing.KEY_FREE, racing.KEY_OWN))
            assert (int(facts[team, racing.COST]), *squares) == seen.way(team)
        assert racing.nearest(seen.position.view, facts) == seen.nearest()


def test_blocked_teams_count_as_far() -> None:
    """Blue has closed the first row, yellow the first column: green gets nowhere, and neither do they."""
    stacks = dict.fromkeys([f"a{place}" for place in range(1, 9)], "11")
    stacks |= dict.fromkeys([f"{row}1" for row in "bcdefgh"], "22")
    seen = Seen(position_of(stacks, "2S 4S 6S 8S 10S", seats=3))
    facts = facts_of(seen)
    assert facts[seen.team, racing.COST] == seen.way().cost == FAR
    assert not facts[seen.team, racing.KEY_OPEN] | facts[seen.team, racing.KEY_FREE] | facts[seen.team, racing.KEY_OWN]


def test_cost_when_squares_are_closed() -> None:
    source = random.Random(2)
    for seen in random_ones(some(60, 20), 2, **PLAIN):
        view, facts = seen.position.view, facts_of(seen)
        cells = set(source.sample(sorted(open_squares(seen.board)), 3)) if len(open_squares(seen.board)) > 2 else set()
        for team in range(seen.position.state.teams):
            free = cells - counting_cells(seen, seen.board, team)
            stranger = next(other for other in range(4) if other != team)
            board = literal.Board(
                seen.board.squares,
                {
                    cell: [*stack, stranger, stranger] if cell in free else stack
                    for cell, stack in seen.board.stacks.items()
                },
            )
            closed = Word(int(view.closed) | int(word(free)))
            own = Word(facts[team, racing.OWN])
            assert racing.cost_with(view, team, own, closed) == seen.way(team, board).cost


def test_nearest_when_a_square_is_closed() -> None:
    """Whatever the options: it may hide what others have there."""
    source = random.Random(3)
    for seen in random_ones(some(60, 20), 3):
        view, facts = seen.position.view, facts_of(seen)
        whites = {cell for cell in literal.CELLS if seen.board.squares[cell] == "W" and not seen.board.stacks[cell]}
        pool = sorted(open_squares(seen.board) | whites)
        wanted = sorted(set().union(*({*seen.way(team).open, *seen.way(team).white} for team in seen.others)))
        for cell in [*source.sample(pool, min(4, len(pool))), *source.sample(wanted, min(4, len(wanted)))]:
            expected = seen.nearest(closed_by(seen.board, seen.team, cell))
            assert racing.nearest_when_closed(view, facts, word([cell])) == expected


def test_best_closing_gains_most() -> None:
    source = random.Random(4)
    for seen in random_ones(some(60, 20), 4):
        view, facts, least = seen.position.view, facts_of(seen), seen.nearest()
        pool = sorted(set().union(*(seen.way(team).open for team in [seen.team, *seen.others]), seen.way().white))
        cells = source.sample(pool, min(6, len(pool)))
        gain, square = racing.best_closing(view, facts, word(cells), least, stream(source.randrange(100)))
        gains = {cell: closing_gain(seen, cell) for cell in cells}
        assert gain == max(gains.values(), default=-1)
        assert not cells or gains[cell_of(int(square))] == gain


def test_best_closing_draws_among_equals() -> None:
    seen = Seen(position_of({}, "2S"))
    cells = [cell_at(name) for name in ("d1", "d2", "d3", "d4")]
    draws = Counter(
        int(racing.best_closing(seen.position.view, facts_of(seen), word(cells), seen.nearest(), stream(start))[1])
        for start in range(some(800, 267))
    )
    assert set(draws) == set(map(number_of, cells))
    assert stats.chisquare(list(draws.values())).pvalue > 1e-4


# --- Going on --------------------------------------------------------------------------------------------------------


def advanced(seen: Seen, markers: int, start: int, prefer: Any = (), avoid: Any = ()) -> tuple[list[literal.Cell], Any]:
    """The squares that so many markers are placed on, and those that count afterwards."""
    view = seen.position.view
    move, own = racing.advance(
        view,
        own_word(seen),
        Word(view.closed),
        markers,
        word(prefer),
        word(avoid),
        Word(0),
        0,
        new_layers(),
        stream(start),
    )
    return [cell_of(int(move) >> 9 * index & 511) for index in range(markers)], own


@pytest.mark.parametrize("goal", GOALS)
def test_advance_goes_step_by_step_along_a_cheapest_way(goal: str) -> None:
    source = random.Random(f"advance {goal}")
    for seen in random_ones(some(30, 10), 5, goal=goal):
        markers = source.randrange(1, 7)
        wanted = sorted(seen.way().open)
        prefer, avoid = (source.sample(wanted, len(wanted) // 2) for _ in range(2))
        placed, own = advanced(seen, markers, source.randrange(1000), prefer, avoid)
        assert is_advance(seen, seen.board, placed, prefer, avoid)
        assert cells_in(own) == counting_cells(seen, seen.board, seen.team) | set(placed)


def test_advance_wastes_nothing() -> None:
    """Each marker counts, but for a last one when only white squares are left, which take two."""
    even = odd = 0
    for seen in random_ones(some(200, 67), 6, near=True):
        before = seen.way()
        for markers in range(1, 6):
            placed, _ = advanced(seen, markers, markers)
            if before.cost == FAR:
                continue
            gained = before.cost - seen.way(board=with_markers(seen.board, seen.team, placed)).cost
            if gained == min(markers, before.cost):
                even += 1
            else:
                odd += 1
                assert gained == markers - 1
                assert not before.open or markers > 2
                # Without the last one all cheapest ways go on over white squares.
                assert any(
                    not seen.way(board=with_markers(seen.board, seen.team, [one for one in placed if one != cell])).open
                    for cell in placed
                    if placed.count(cell) == 1
                )
    assert even > 10 * odd > 0


@pytest.mark.parametrize("markers", [1, 2, 3, 4, 5])
def test_advance_prefers_and_avoids(markers: int) -> None:
    """On an empty board the first of five markers has many squares to choose from, whatever comes then."""
    seen = Seen(position_of({}, "2S"))
    wanted = sorted(seen.way().open)
    prefer = wanted[::5]
    for start in range(some(20, 7)):
        placed, _ = advanced(seen, markers, start, prefer)
        assert set(placed) & set(prefer)
        placed, _ = advanced(seen, markers, start, avoid=wanted[4:])
        assert set(placed) & set(wanted[:4])
    assert advanced(seen, 1, 1, avoid=wanted)[0][0] in wanted


def test_advance_takes_each_square_alike() -> None:
    seen = Seen(position_of({}, "2S"))
    draws = Counter(advanced(seen, 1, start)[0][0] for start in range(some(3_000, 1000)))
    assert set(draws) <= seen.way().open
    assert stats.chisquare([draws[cell] for cell in sorted(seen.way().open)]).pvalue > 1e-4


def test_any_of_takes_each_square_alike() -> None:
    rng = stream(9)
    draws = Counter(int(racing.any_of(Word(0x8000_0000_0102_0001), rng)) for _ in range(some(4_000, 1334)))
    assert sorted(draws) == [0, 17, 24, 63]
    assert stats.chisquare(list(draws.values())).pvalue > 1e-4


# --- Lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", GOALS)
def test_cheapest_line(goal: str) -> None:
    found = Counter[int]()
    for number, seen in enumerate(random_ones(some(40, 14), 7, goal=goal)):
        lines = cheapest_lines(seen.rules, seen.board, seen.team)
        cost, open_cells, white, whole = racing.cheapest_line(seen.position.view, own_word(seen), stream(number))
        line = Line(int(cost), frozenset(cells_in(whole)), frozenset(cells_in(open_cells)), frozenset(cells_in(white)))
        assert line in (lines or [Line(FAR, frozenset(), frozenset(), frozenset())])
        found[min(len(lines), 2)] += 1
    assert found[1]
    assert found[2]


def test_cheapest_line_draws_among_equals() -> None:
    """Rows and columns with one white square cost nine, those with two ten."""
    seen = Seen(position_of({}, "2S"))
    lines = {line.cells for line in cheapest_lines(seen.rules, seen.board, seen.team)}
    draws = Counter(
        frozenset(cells_in(racing.cheapest_line(seen.position.view, Word(0), stream(start))[3]))
        for start in range(some(2_000, 667))
    )
    assert set(draws) == lines
    assert stats.chisquare(list(draws.values())).pvalue > 1e-4


def test_filling_a_line() -> None:
    source = random.Random(8)
    for number, seen in enumerate(random_ones(some(100, 34), 8)):
        for line in cheapest_lines(seen.rules, seen.board, seen.team)[:1]:
            markers = source.randrange(1, 7)
            move = racing.fill(seen.position.view, markers, word(line.open), word(line.white), Word(0), stream(number))
            placed = [cell_of(int(move) >> 9 * index & 511) for index in range(markers)]
            assert is_filling(seen, line, placed)


# --- Cards -----------------------------------------------------------------------------------------------------------


def test_largest_pair_and_longest_run() -> None:
    sizes = Counter[tuple[int, int]]()
    for seen in random_ones(some(200, 67), 9, hand=6):
        view = seen.position.view
        pair, run = int(racing.largest_pair(view)), int(racing.longest_run(view))
        assert (pair & 63).bit_count() == seen.most_of_a_rank
        assert pair == 0 or pair >> 6 == 2
        assert (run & 63).bit_count() == seen.longest_run
        assert run == 0 or run >> 6 == 3
        sizes[seen.most_of_a_rank, seen.longest_run] += 1
    assert len(sizes) > 5


def test_largest_pair_is_one_that_the_supply_is_enough_for() -> None:
    stacks = {"a3": "00", "b5": "00", "c1": "00"}
    for left, most in ((3, 3), (2, 2), (1, 0)):
        seen = Seen(position_of({**stacks, **dict.fromkeys(["d1", "d2"][: 3 - left], "0")}, "KS KH KC", markers=9))
        assert seen.supply == left
        assert (int(racing.largest_pair(seen.position.view)) & 63).bit_count() == most


def test_any_single_of_some_cards() -> None:
    source = random.Random(10)
    for number, seen in enumerate(random_ones(some(150, 50), 10)):
        view, hand = seen.position.view, seen.position.hand
        squares = set(source.sample(literal.CELLS, 30))
        allowed = source.randrange(64)
        # Equal cards are named by the first one.
        cards = {card for card in hand if card != literal.JOKER and allowed & cards_named(hand, [card])}
        fitting = {(card, cell) for card, cell in seen.singles if cell in squares}
        move = int(racing.any_single(view, word(squares), stream(number)))
        assert bool(move) == bool(fitting)
        if move:
            told = played(seen, move)
            assert (told.kind, (told.cards[0], told.placed[0]) in fitting) == ("single", True)
        fitting = {(card, cell) for card, cell in fitting if card in cards}
        move = int(racing.any_single_of(view, Word(allowed), word(squares), stream(number)))
        assert bool(move) == bool(fitting)
        assert not move or (played(seen, move).cards[0], played(seen, move).placed[0]) in fitting
        fits = {cell for card in hand if card != literal.JOKER for cell in spots_of(seen.board, card)}
        fits &= squares & open_squares(seen.board)
        assert racing.any_single_fits(view, word(squares)) == bool(seen.supply and fits)
        held = [card for place, card in enumerate(sorted(hand, key=face_of)) if allowed >> place & 1]
        reached = {cell for card in held if card != literal.JOKER for cell in spots_of(seen.board, card)}
        assert cells_in(racing.reachable(view, Word(allowed))) == {
            cell for cell in reached if not literal.is_closed(seen.board, cell)
        }


def test_any_single_takes_each_play_alike() -> None:
    """A six of diamonds has two squares, one of which is closed; of a king of spades the same."""
    seen = Seen(position_of({"a8": "11"}, "6D KS 9C 9S"))
    assert len(seen.singles) == 7
    draws = Counter(
        int(racing.any_single(seen.position.view, Word(0xFFFF_FFFF_FFFF_FFFF), stream(start)))
        for start in range(some(3_500, 1167))
    )
    assert len(draws) == 7
    assert stats.chisquare(list(draws.values())).pvalue > 1e-4


def test_best_single_leaves_the_others_most_to_do() -> None:
    """Of single cards on wanted squares one after which the other cards fit most squares of a cheapest way."""
    met = Counter[bool]()
    for number, seen in enumerate(random_ones(some(200, 100), 15, near=True, may_pass=True)):
        wanted = seen.way().open
        move = int(racing.best_single(seen.position.view, own_word(seen), word(wanted), new_layers(), stream(number)))
        values = {}
        for card, cell in seen.singles if seen.supply else ():
            if cell in wanted:
                others = literal.without_cards(seen.position.hand, [card])
                reach = {one for other in others if other != literal.JOKER for one in spots_of(seen.board, other)}
                board = with_markers(seen.board, seen.team, [cell])
                values[card, cell] = len(seen.way(board=board).open & reach & open_squares(seen.board))
        if values:
            told = played(seen, move)
            assert values[told.cards[0], told.placed[0]] == max(values.values())
            met[len(set(values.values())) > 1] += 1
    assert met[True]


# --- Taking away -----------------------------------------------------------------------------------------------------


def removals(seen: Seen) -> Iterator[tuple[str, ...]]:
    yield from seen.sets("run")


def test_topmost_markers_of_a_team() -> None:
    position = position_of({}, "2S 3S", seats=3)
    position.state.board.stacks[cell_at("d1")] = [1, 0, 2, 1]
    for team, count, levels in ((1, 1, [3]), (1, 2, [3, 0]), (0, 1, [1]), (2, 1, [2])):
        move, index = racing.with_markers_of(position.view, Word(0), 0, Word(24), team, count)
        assert index == count
        items = [int(move) >> 9 * place & 511 for place in range(count)]
        assert items == [24 | level << 6 for level in levels]


def test_remove_any_takes_anybodys_markers() -> None:
    kinds = Counter[str]()
    for number, seen in enumerate(random_ones(some(150, 50), 11)):
        view = seen.position.view
        for cards in removals(seen):
            facts = facts_of(seen)
            move, closed = racing.remove_any(
                view, facts, len(cards), True, Word(0), Word(view.closed), started(seen, 3, cards), 0, stream(number)
            )
            if not move:
                assert not has_loose(seen, len(cards))
                continue
            told = played(seen, move)
            assert is_anybodys(seen, told.removed, seen.way().own)
            board = seen.after(told)
            assert cells_in(closed) == closed_cells(board)
            for marker in told.removed:
                kinds[
                    "few left" if seen.supply < 6 else "many left", "own" if marker.team == seen.team else "other"
                ] += 1
                if not seen.rules.king_of_the_mountain and not seen.rules.double_down:
                    gone = marker.cell not in counting_cells(seen, board, marker.team)
                    assert gone == (marker.cell not in cells_in(facts[marker.team, racing.OWN]))
    assert len(kinds) == 4


def test_remove_any_leaves_white_squares_alone_when_it_must() -> None:
    """A joker takes nothing from white squares; a run takes both markers, and never one."""
    seen = Seen(position_of({"c1": "11", "a3": "11"}, "2S 3S 4S"))
    view = seen.position.view
    for markers, whole, comes_out in ((2, True, True), (2, False, False), (1, True, False), (3, True, False)):
        move, _ = racing.remove_any(
            view, facts_of(seen), markers, whole, Word(0), Word(view.closed), Word(1 << 62), 0, stream(1)
        )
        assert bool(move) == comes_out


def greedy_steps(
    seen: Seen, board: literal.Board, touched: set[literal.Cell], left: int, other: float
) -> dict[Any, float]:
    """What each step of `remove_best` could take, and its gain for each marker: the plain rules."""
    costs = {team: seen.way(team, board).cost for team in range(seen.position.state.teams)}
    least = min(costs[team] for team in seen.others)
    found = {}
    for team in seen.others:
        near = seen.way(team).own if costs[team] <= least + 1 else frozenset()
        for cell in set(literal.CELLS) - touched:
            has = seen.board.stacks[cell].count(team)
            blocks = has == 2 and seen.team not in seen.board.stacks[cell]
            white = seen.board.squares[cell] == "W"
            if has in (0, 4) or not (cell in near or blocks):
                continue
            for count in range(2 if white else 1, min(has, left) + 1):
                then = without_top(board, team, cell, count)
                gain = 0.0
                if count == has:
                    gain += other * (seen.way(team, then).cost - costs[team])
                if blocks:
                    gain += costs[seen.team] - seen.way(board=then).cost
                found[cell, team, count] = gain / count
    return found


def is_greedy(seen: Seen, removed: list[literal.Marker], other: float) -> bool:
    """Whether markers are what the best steps take, in some order, and anybody's when no step brings anything."""
    taken = Counter((marker.cell, marker.team) for marker in removed)

    def goes(board: literal.Board, touched: frozenset[literal.Cell], left: int) -> bool:
        if not left:
            return True
        steps = greedy_steps(seen, board, set(touched), left, other)
        best = max(steps.values(), default=0.0)
        if best <= 0:
            rest = [marker for marker in removed if marker.cell not in touched]
            return is_anybodys(seen, rest, seen.way().own, touched)
        return any(
            goes(without_top(board, team, cell, count), touched | {cell}, left - count)
            for (cell, team, count), gain in steps.items()
            if gain == pytest.approx(best, abs=1e-9) and taken[cell, team] == count
        )

    return goes(seen.board, frozenset(), len(removed))


def test_remove_best_takes_the_best_steps() -> None:
    taken = Counter[bool]()
    for number, seen in enumerate(random_ones(some(200, 67), 12, double_down=False, king_of_the_mountain=False)):
        view = seen.position.view
        other = (1.0, 0.25)[number % 2]
        for cards in removals(seen):
            facts = facts_of(seen)
            move, closed = racing.remove_best(
                view, facts, len(cards), True, other, started(seen, 3, cards), stream(number)
            )
            if not move:
                assert not has_loose(seen, len(cards))
                continue
            told = played(seen, move)
            assert is_greedy(seen, list(told.removed), other)
            board = seen.after(told)
            assert cells_in(closed) == closed_cells(board)
            for team in range(seen.position.state.teams):
                assert cells_in(facts[team, racing.OWN]) == counting_cells(seen, board, team)
                assert facts[team, racing.COST] == seen.way(team, board).cost
            taken[seen.lead(board) > seen.lead()] += 1
    assert taken[True] > taken[False]


# Green closes a square above a single blue marker; the row of blue lacks one marker.
CLOSED_ABOVE_BLUE = {"d1": "1", "d2": "1", "d3": "100", "d4": "1", "d5": "1", "d6": "1", "d8": "1"}


def test_remove_best_sees_that_a_closed_square_stays_closed() -> None:
    """Without its marker on d3 blue has to go round a square that green keeps closed; elsewhere it comes back."""
    seen = Seen(position_of(CLOSED_ABOVE_BLUE, "2S 3S"))
    steps = greedy_steps(seen, seen.board, set(), 2, 1.0)
    best = max(steps, key=lambda step: steps[step])
    assert best == (cell_at("d3"), 1, 1)
    for start in range(40):
        move, _ = racing.remove_best(
            seen.position.view, facts_of(seen), 2, True, 1.0, started(seen, 3, ("2S", "3S")), stream(start)
        )
        assert cell_at("d3") in {marker.cell for marker in played(seen, move).removed}


def test_a_run_opens_the_square_that_brings_the_team_nearest() -> None:
    opened = Counter[bool]()
    for number, seen in enumerate(random_ones(some(500, 167), 14, **PLAIN)):
        for cards in removals(seen):
            needs, cost = openings(seen), seen.way().cost
            move = int(
                racing.opened_by_run(seen.position.view, own_word(seen), cost, entry_of(seen, 3, cards), stream(number))
            )
            if not move:
                assert min(needs.values(), default=FAR) >= cost or not has_loose(seen, len(cards))
                continue
            board = seen.after(played(seen, move))
            best = min(needs.values())
            assert best < cost
            counting = counting_cells(seen, seen.board, seen.team)
            own_gone = counting - counting_cells(seen, board, seen.team)
            assert seen.way(board=board).cost <= best or own_gone
            opened[len(cards) > 2] += 1
    assert opened[False]
    assert opened[True]


@pytest.mark.parametrize(
    ("option", "stack"), [("king_of_the_mountain", "101"), ("double_down", "011")], ids=["king", "double"]
)
def test_a_run_gives_back_what_was_hidden(option: str, stack: str) -> None:
    """On d3 green's own marker waits; the other square that blue closes would cost green a marker more."""
    stacks = {"d1": "0", "d2": "0", "d3": stack, "d4": "0", "d5": "0", "d6": "11", "e6": "11", "c6": "11"}
    seen = Seen(position_of(stacks, "2S 3S 4H", **{option: True}))
    for start in range(10):
        move = racing.opened_by_run(
            seen.position.view, own_word(seen), seen.way().cost, entry_of(seen, 3, ("2S", "3S")), stream(start)
        )
        assert move
        told = played(seen, Word(move))
        assert cell_at("d3") in {marker.cell for marker in told.removed}
        assert seen.way(board=seen.after(told)).cost <= min(openings(seen).values())
