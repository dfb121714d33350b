import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims import chance
from sims.bits import Word
from sims.crossways import CROSSWAYS, plays, telling
from sims.crossways.facts import DECK, END_REASONS
from sims.crossways.facts import LAYOUT as LAYOUT_PURPOSE
from sims.crossways.rules import LOG
from sims.game import find_game
from sims.jit import COMPILED
from sims.trace import narrate, replay
from tests.reference import crossways as literal
from tests.sims.crossways.players import (
    Played,
    anyhow,
    eager,
    idle,
    jealous,
    played,
    random_games,
    turns_of,
)
from tests.sims.crossways.positions import (
    BASIC,
    KINDS,
    LAYOUT,
    Position,
    card_of,
    cards_named,
    cell_of,
    face_of,
    faces,
    literal_rules,
    number_of,
    position_of,
    positions,
    random_position,
    some_moves,
    view_of,
)

EXAMPLES = 60 if COMPILED else 20
GOLDEN = Path(__file__).parents[1] / "goldens" / "crossways.txt"
COLOURS = ("green", "blue", "yellow", "purple")
COLUMNS = [
    *("score", "rank", "win", "team", "markers", "end", "undecided", "turns", "singles", "pairs", "runs", "jokers"),
    *("pairs_and_runs", "passes", "placed", "removed", "reshuffles", "path_length", "direction"),
]


@pytest.fixture(scope="module")
def games() -> list[Played]:
    """Games of many kinds."""
    source = random.Random(6)
    some: list[Played] = []
    for goal in ("sides", "corners", "straight", "frame-4x4"):
        rules = BASIC.replace(goal=goal, turn_limit=400 if COMPILED else 5)
        some += played([jealous, eager] if COMPILED else [anyhow, anyhow], rules, 3, 0, 1)
    some += played([idle] * 2, BASIC.replace(discard_on_pass=True, turn_limit=50), 3, 0, 1)
    some += played([anyhow] * 4, BASIC.replace(decks=1, hand=6, turn_limit=60), 3, 0, 1)
    for _ in range(20 if COMPILED else 8):
        some += random_games(source, 1)
    return some


# --- Moves in words --------------------------------------------------------------------------------------------------


def square_words(board: literal.Board, cell: literal.Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1} ({board.squares[cell]})"


def words_of(position: Position, move: literal.Move | literal.Pass) -> str:
    """A move in words, cards in the order of the hand, markers in the order of the board."""
    if isinstance(move, literal.Pass):
        return f"pass, discarding {' '.join(move.discarded)}" if move.discarded else "pass"
    board, parts = position.state.board, []
    for marker in sorted(move.removed, key=lambda marker: (marker.level, marker.cell)):
        level = f" at level {marker.level}" if len(board.stacks[marker.cell]) > 1 else ""
        parts.append(f"remove a {COLOURS[marker.team]} marker{level} from {square_words(board, marker.cell)}")
    parts += [f"place on {square_words(board, cell)}" for cell in sorted(move.placed)]
    return f"{move.kind} {' '.join(sorted(move.cards, key=face_of))}: {', '.join(parts)}"


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_legal_moves_have_words(position: Position, start: int) -> None:
    view = position.view
    before = view.tobytes()
    moves: list[Any] = [move for move in some_moves(random.Random(start), position, 20) if not position.refusal(move)]
    if position.state.rules.may_pass:
        moves.append(literal.Pass((position.hand[0],) if position.state.rules.discard_on_pass else ()))
    for move in moves:
        assert telling.describe_move(view, position.code(move)) == words_of(position, move)
    assert view.tobytes() == before


NONSENSE = re.compile(r"^move -?\d+, which is no play of the hand$")


class Word64:
    """A word by the letter of the format: what stands in it, whatever it is worth."""

    def __init__(self, position: Position, word: int) -> None:
        self.position, self.word = position, word
        self.kind, named, self.rest = word >> 60, word >> 54 & 63, word & (1 << 54) - 1
        self.hand = sorted(position.hand, key=face_of)
        self.cards = [card for place, card in enumerate(self.hand) if named >> place & 1]
        self.beyond = named >> len(self.hand) > 0
        self.named_first = named == cards_named(self.hand, self.cards)
        count = len(self.cards)
        self.placed_count = {0: 0, 1: count, 2: count, 3: 0, 4: 2 if count > 1 else 0}.get(self.kind, self.kind - 4)
        self.removed_count = {0: 0, 1: 0, 2: 0, 3: count, 4: 0 if count > 1 else 1}.get(
            self.kind, count - self.placed_count
        )
        number = self.placed_count + self.removed_count
        self.items = [self.rest >> 9 * index & 511 for index in range(number)]
        self.removed, self.placed = self.items[: self.removed_count], self.items[self.removed_count :]
        self.more = number < 6 and self.rest >> 9 * number > 0

    def stack(self, item: int) -> list[int]:
        return self.position.state.board.stacks[cell_of(item & 63)]

    def is_white(self, item: int) -> bool:
        return self.position.state.board.squares[cell_of(item & 63)] == "W"

    @property
    def supply(self) -> int:
        state, team = self.position.state, self.position.situation.team
        there = [item for item in self.removed if item >> 6 < len(self.stack(item))]
        own = sum(self.stack(item)[item >> 6] == team for item in there)
        return state.rules.markers - literal.on_board(state.board, team) + own

    @property
    def is_known_play(self) -> bool:
        return self.named_first and any(
            (choice.kind, sorted(choice.cards), choice.placed, choice.removed)
            == (KINDS[min(self.kind, 5)], sorted(self.cards), self.placed_count, self.removed_count)
            for choice in literal.card_choices(self.position.situation)
        )

    @property
    def shown(self) -> list[str]:
        return [literal.square_of(card) for card in self.cards if card != literal.JOKER]

    def holds(self, reason: str) -> bool:
        """Whether a reason for not being legal is a true one."""
        position, state = self.position, self.position.state
        board, rules = state.board, state.rules
        square = re.search(r"row (\d), column (\d) \((\w+)\)", reason)
        place = -1
        if square:
            cell = int(square[1]) - 1, int(square[2]) - 1
            assert board.squares[cell] == square[3]
            place = number_of(cell)
            reason = reason.replace(square[0], "SQUARE")
        if supply := re.search(r"^the team has (\d+) markers left$", reason):
            return int(supply[1]) == self.supply < len(self.placed)
        match reason:
            case "a pass discards one card":
                return self.kind == 0 and rules.discard_on_pass and len(self.cards) != 1
            case "of equal cards the first one has to be named":
                return self.kind == 0 and rules.discard_on_pass and not self.named_first
            case "a pass discards nothing":
                return self.kind == 0 and not rules.discard_on_pass and bool(self.cards)
            case "a pass has nothing more to say":
                return self.kind == 0 and (self.rest > 0 or (bool(self.cards) and not rules.discard_on_pass))
            case "there is a play, and a pass is no choice":
                return self.kind == 0 and not rules.may_pass and literal.has_play(position.situation)
            case "these cards are no such play (of equal cards the first ones have to be named)":
                return not self.is_known_play
            case "there is more in it than its markers":
                return self.more
            case "there is no such marker on SQUARE":
                return any(item & 63 == place and item >> 6 >= len(self.stack(item)) for item in self.removed)
            case "SQUARE is white: its markers are removed two at a time":
                return self.is_white(place) and sum(item & 63 == place for item in self.removed) % 2 == 1
            case "markers have to be named in ascending order, each once":
                return self.removed != sorted(set(self.removed)) or self.placed != sorted(self.placed)
            case "markers that are placed have no level":
                return any(item > 63 for item in self.placed)
            case "SQUARE is white: markers are placed there two together":
                return self.is_white(place) and self.placed.count(place) % 2 == 1
            case "SQUARE is not the card's":
                return self.kind in (1, 4) and place in self.placed and board.squares[cell_of(place)] not in self.shown
            case "a joker and a card place two markers together":
                return self.kind == 4 and len(set(self.placed)) > 1
            case "SQUARE is closed":
                return place in self.placed and literal.is_closed(board, cell_of(place))
            case "markers do not fit there (two of a team close a square)":
                markers = [
                    literal.Marker(cell_of(item & 63), self.stack(item)[item >> 6], item >> 6) for item in self.removed
                ]
                after = literal.without(board, markers)
                cells = [cell_of(item) for item in self.placed]
                refused = literal.placement_refusal(rules, after, position.situation.team, cells) is not None
                team = position.situation.team
                return refused or (self.kind == 4 and any(team in board.stacks[cell] for cell in cells))
        raise AssertionError(f"an unknown reason: {reason}")


def check_words(position: Position, view: Any, word: int) -> str:
    """What is said of a word has to be true; return what kind of thing was said."""
    said = telling.describe_move(view, word)
    if NONSENSE.match(said):
        assert str(word) in said
        if 0 <= word < 1 << 64:
            told = Word64(position, word)
            assert told.beyond or (told.kind >= 5 and told.placed_count >= len(told.cards))
        return "nonsense"
    assert 0 <= word < 1 << 64
    told = Word64(position, word)
    assert not told.beyond
    words, sign, reason = said.partition("; ")
    assert words.startswith(KINDS[min(told.kind, 5)])
    if not sign:
        assert plays.is_legal(view, Word(word))
        return "legal"
    assert not plays.is_legal(view, Word(word))
    assert told.holds(reason), f"{word}: {said}"
    return re.sub(r"row.*?\)|\d+", "…", reason)


def near(source: random.Random, position: Position) -> list[int]:
    """Words that are all but legal moves."""
    words = []
    for move in some_moves(source, position, 10):
        word = position.code(move)
        items = [word >> 9 * index & 511 for index in range(6)]
        one, other = source.randrange(6), source.randrange(6)
        words += [word, word ^ 1 << source.randrange(64), word ^ source.randrange(1, 64) << 9 * one]
        words += [word ^ source.randrange(1, 8) << 9 * one + 6, word ^ source.randrange(1, 16) << 60]
        words += [word ^ (items[one] ^ items[other]) << 9 * one, word ^ source.randrange(1, 64) << 54]
    for place in range(len(position.hand)):
        words += [1 << 54 + place, 1 << 54 + place | 1 << source.randrange(54), 3 << 54 + place]
    return [*words, 0, 1, *(source.getrandbits(64) for _ in range(20))]


def test_describe_move_says_the_true_reason() -> None:
    said: Counter[str] = Counter()
    for start in range(250 if COMPILED else 50):
        source = random.Random(start)
        position = random_position(source)
        view = position.view
        for word in near(source, position):
            said[check_words(position, view, word)] += 1
    assert said["legal"] > 200
    assert len(said) >= (14 if COMPILED else 10), said


@settings(max_examples=10 * EXAMPLES)
@given(st.integers(-(2**65), 2**66), st.integers(0, 20))
def test_describe_move_of_any_number(word: int, start: int) -> None:
    position = random_position(random.Random(start))
    check_words(position, position.view, word)


@pytest.mark.parametrize("word", [-1, -(2**70), 2**64, 2**70, 2**64 - 1])
def test_numbers_that_are_no_move(word: int) -> None:
    view = position_of({}, "KS KH").view
    assert telling.describe_move(view, word) == f"move {word}, which is no play of the hand"


@pytest.mark.parametrize(
    ("hand", "options", "kind", "cards", "items", "reason"),
    [
        ("KS KH", {}, 1, 1, [0], "row 1, column 1 (BJ) is not the card's"),
        ("JS KH", {}, 1, 2, [63], "row 8, column 8 (BJ) is closed"),
        ("KS KH", {}, 2, 3, [2, 3], "row 1, column 3 (W) is white: markers are placed there two together"),
        ("KS KH", {}, 2, 3, [3, 2], "markers have to be named in ascending order, each once"),
        ("KS KH", {}, 2, 3, [8, 8], "markers do not fit there (two of a team close a square)"),
        ("KS KH", {}, 2, 3, [3, 3 + 64], "markers that are placed have no level"),
        ("KS KH", {}, 3, 3, [8, 9], "these cards are no such play (of equal cards the first ones have to be named)"),
        ("KS KS KH", {}, 1, 4, [4], "these cards are no such play (of equal cards the first ones have to be named)"),
        ("KS QS", {}, 3, 3, [0, 8], "there is no such marker on row 1, column 1 (BJ)"),
        ("KS QS", {}, 3, 3, [8, 16], "row 3, column 1 (W) is white: its markers are removed two at a time"),
        ("KS QS", {}, 3, 3, [8, 8], "markers have to be named in ascending order, each once"),
        ("KS KH", {"markers": 8}, 2, 3, [0, 1], "the team has 0 markers left"),
        ("KS KH", {"may_pass": False}, 0, 0, [], "there is a play, and a pass is no choice"),
        ("KS KH", {"discard_on_pass": True}, 0, 0, [], "a pass discards one card"),
        ("KS KH", {}, 0, 0, [5], "a pass has nothing more to say"),
        ("KS KS", {"discard_on_pass": True}, 0, 2, [], "of equal cards the first one has to be named"),
        ("KS KH", {}, 2, 3, [0, 1, 5], "there is more in it than its markers"),
        ("KS KH", {}, 1, 1, [1, 5], "there is more in it than its markers"),
        ("5C JOKER", {"jokers_wild": True}, 4, 3, [1, 1], "row 1, column 2 (RK) is not the card's"),
        ("5C JOKER", {"jokers_wild": True}, 4, 3, [9, 54], "a joker and a card place two markers together"),
    ],
)
def test_reasons(hand: str, options: Any, kind: int, cards: int, items: list[int], reason: str) -> None:
    board = {"b1": "0", "c1": "11", "h8": "11"}
    if "markers" in options:
        board = {"b1": "0", "b2": "00", "b3": "00", "b4": "00", "d1": "0"}
    position = position_of(board, hand, **options)
    word = (kind << 6 | cards) << 54 | sum(item << 9 * index for index, item in enumerate(items))
    said = telling.describe_move(position.view, word)
    assert said.partition("; ")[2] == reason
    check_words(position, position.view, word)


# --- Pictures --------------------------------------------------------------------------------------------------------


def board_lines(squares: list[list[str]], stacks: dict[literal.Cell, list[int]]) -> list[list[str]]:
    """What a line of the board says, square by square."""
    return [
        [
            part
            for column in range(8)
            for part in (squares[row][column], "".join(COLOURS[team][0] for team in stacks[row, column]) or ".")
        ]
        for row in range(8)
    ]


def rows_of(board: literal.Board) -> list[list[str]]:
    return [[board.squares[row, column] for column in range(8)] for row in range(8)]


@settings(max_examples=EXAMPLES)
@given(positions())
def test_picture(position: Position) -> None:
    state, seat = position
    lines = telling.picture(position.view).split("\n")
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert [line.split() for line in lines[:8]] == board_lines(rows_of(state.board), state.board.stacks)
    words = " ".join(" ".join(lines[8:]).split())
    hand = " ".join(sorted(state.hands[seat], key=face_of))
    assert words.startswith(
        f"turn {state.turn}, seat {seat} (markers {COLOURS[position.situation.team]}), hand {hand} "
    )
    left = [state.rules.markers - literal.on_board(state.board, team) for team in range(state.teams)]
    supplies = ", ".join(f"{COLOURS[team]} {number}" for team, number in enumerate(left))
    assert f"markers left: {supplies}" in words
    assert f"cards in the deck {len(state.deck)}, passes in a row {state.passes}" in words
    gone = Counter(state.discards)
    told = [card + (f"×{gone[card]}" if gone[card] > 1 else "") for card in sorted(gone, key=face_of)]
    assert words.endswith(f"discards: {' '.join(told) or 'none'}")
    for other, cards in enumerate(state.hands):
        assert other == seat or " ".join(sorted(cards, key=face_of)) not in words or len(cards) < 3 or cards == hand


def test_the_widest_picture() -> None:
    board = {name: "01233" for name in ("a1", "a2", "a4", "a8", "b4", "c8")}
    hand = " ".join(["JOKER"] * 6)
    position = position_of(board, hand, seats=8, team_size=2, decks=4, jokers_wild=True, turn_limit=1000, turn=1000)
    state = position.state
    lines = telling.picture(position.view).split("\n")
    assert max(map(len, lines)) <= 80
    assert [line.split() for line in lines[:8]] == board_lines(LAYOUT, state.board.stacks)


# --- Whole games -----------------------------------------------------------------------------------------------------


def test_the_chain_that_wins_is_told_from_side_to_side(games: list[Played]) -> None:
    goals = Counter()
    for game in games:
        if game.end["reason"] != "goal":
            continue
        *_, last = turns_of(game.trace)
        rules, team = literal.rules_of(game.trace["variant"]), game.end["team"]
        cells = [tuple(cell) for cell in game.end["cells"]]
        ways = literal.successes(rules, last.state.board, team)
        assert len(cells) == min(len(way.cells) for way in ways)
        assert literal.chain_fault(rules, last.state.board, team, cells) is None
        if rules.goal in literal.CHAIN_GOALS:
            ends = literal.ends_of(rules, team)
            assert any(cells[0] in one.first and cells[-1] in one.last for one in ends)
        goals[rules.goal] += 1
    assert not COMPILED or len(goals) >= 3


@settings(max_examples=EXAMPLES)
@given(positions(share=1.0))
def test_winning_squares(position: Position) -> None:
    view, (state, _) = position.view, position
    for team in range(state.teams):
        ways = literal.successes(state.rules, state.board, team)
        if ways:
            cells = [cell_of(square) for square in telling.winning_squares(view, team)]
            assert literal.chain_fault(state.rules, state.board, team, cells) is None
            assert len(cells) == min(len(way.cells) for way in ways)


def test_results_are_the_outcome_row_by_row(games: list[Played]) -> None:
    for game in games:
        assert [result["seat"] for result in game.trace["outcome"]] == list(range(game.seats))
        for row, result in zip(game.outcomes.tolist(), game.trace["outcome"], strict=True):
            assert list(result) == ["seat", *COLUMNS]
            assert [result[name] for name in COLUMNS if name not in ("win", "end")] == [
                value for name, value in zip(COLUMNS, row, strict=True) if name not in ("win", "end")
            ]
            assert (result["win"], result["end"]) == (row[2] / 840, END_REASONS[row[5]])


def test_standings(games: list[Played]) -> None:
    for game in games:
        rules = literal.rules_of(game.trace["variant"])
        near = telling.standings(game.rules, game.log, game.seats)
        assert near.shape == (game.log.turns, game.seats)
        expected = []
        for number, turn in enumerate(turns_of(game.trace)):
            if number:
                fewest = [literal.fewest_markers(rules, turn.state.board, team) for team in range(turn.state.teams)]
                told = [-min(64 if one is None else one, 64) for one in fewest]
                expected.append([told[seat % turn.state.teams] for seat in range(game.seats)])
        assert near.tolist() == expected
        if game.end["reason"] == "goal":
            assert near[-1].max() == 0


def test_choices_are_the_plays_of_the_literal_engine() -> None:
    """A pass counts where nothing else can be played."""
    most = 0
    for number, options in enumerate(
        ({"jokers_wild": True}, {"king_of_the_mountain": True, "diagonals": True}, {"markers": 8, "turn_limit": 30})
    ):
        rules = BASIC.replace(**{"hand": 2, "turn_limit": 8 if COMPILED else 4, **options})
        for game in played([anyhow, idle, anyhow], rules, 4, number, 1):
            expected = np.zeros((int(game.log.turns), game.seats), int)
            for place, turn in enumerate(turns_of(game.trace)):
                if turn.seat is not None:
                    situation = literal.position_of(turn.state, turn.seat)
                    expected[place, turn.seat] = max(len(literal.plays(situation)), 1)
            counts = telling.choices(game.rules, game.log, game.seats)
            assert counts.tolist() == expected.tolist()
            most = max(most, int(counts.max()))
    assert most > 100


def test_choices_are_as_many_as_the_turns_of_each_seat(games: list[Played]) -> None:
    for game in games[: 12 if COMPILED else 4]:
        if game.rules.pairs_and_runs and not COMPILED:
            continue
        counts = telling.choices(game.rules, game.log, game.seats)
        assert counts.shape == (game.log.turns, game.seats)
        for turn, row in enumerate(counts.tolist()):
            assert [seat for seat, count in enumerate(row) if count] == [turn % game.seats]
        assert np.count_nonzero(counts, axis=0).max() <= telling.longest(game.rules)


def line_of(event: dict[str, Any], squares: list[list[str]]) -> str:
    """An event as a line of text."""

    def told(cell: list[int]) -> str:
        return f"row {cell[0] + 1}, column {cell[1] + 1} ({squares[cell[0]][cell[1]]})"

    match event["type"]:
        case "draw":
            return f"  seat {event['seat']} draws {' '.join(event['cards'])}"
        case "reshuffle":
            return "  the discards are shuffled and become the deck"
        case "pass":
            cards = f", discarding {event['discarded'][0]}" if event["discarded"] else ""
            return f"turn {event['turn']}: seat {event['seat']} passes{cards}"
        case "end":
            if event["reason"] == "goal":
                return f"{COLOURS[event['team']]} wins: {', '.join(told(cell) for cell in event['cells'])}"
            return {"passes": "all seats have passed", "turn-limit": "the turn limit is reached"}[
                event["reason"]
            ] + ": nobody wins"
        case kind:
            parts = [
                f"removes a {COLOURS[marker['team']]} marker from {told(marker['cell'])}" for marker in event["removed"]
            ]
            parts += [f"places on {told(cell)}" for cell in event["placed"]]
            return f"turn {event['turn']}: seat {event['seat']}, {kind} {' '.join(event['cards'])}: {', '.join(parts)}"


def test_narrate_tells_every_event_and_the_board(games: list[Played]) -> None:
    for game in games:
        trace = game.trace
        lines = telling.narrate(game.rules, trace)
        events = trace["events"][1:]
        squares = trace["events"][0]["squares"]
        assert lines[: len(events)] == [line_of(event, squares) for event in events]
        *_, end = turns_of(trace)
        rest = lines[len(events) :]
        assert rest[0] == rest[9] == ""
        assert [line.split() for line in rest[1:9]] == board_lines(squares, end.state.board.stacks)
        assert rest[10:] == [
            f"seat {seat} (markers {COLOURS[result['team']]}), {name}: {'wins' if result['win'] else 'does not win'}"
            for seat, (name, result) in enumerate(zip(trace["seats"], trace["outcome"], strict=True))
        ]


def test_goldens() -> None:
    """A change of these texts is a change of play: raise rules_version, or find the mistake."""
    told = []
    for lineup, rules, deal in (
        ([anyhow, anyhow], BASIC, 1104),
        ([anyhow] * 3, BASIC.replace(jokers_wild=True, pairs_and_runs=True, layout="random:7"), 726),
        ([anyhow] * 4, BASIC.replace(team_size=2, king_of_the_mountain=True, double_down=True), 2561),
        ([idle, anyhow], BASIC.replace(diagonals=True, discard_on_pass=True, goal="corners", turn_limit=20), 5),
    ):
        (game,) = played(lineup, rules, 7, deal, 1)
        told.append(narrate(CROSSWAYS, rules, game.trace))
    assert "\n\n\n".join(told) + "\n" == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("team_size", [1, 2])
def test_replayed_rotations_are_refereed(team_size: int) -> None:
    rules = BASIC.replace(team_size=team_size, turn_limit=30 if COMPILED else 6)
    for seats in (2 * team_size, 3 * team_size):
        players = [player.player() for player in ([anyhow, idle] * 3)[:seats]]
        for rotation in range(seats // team_size):
            literal.referee(replay(CROSSWAYS, rules, players, seed=7, deal=3, rotation=rotation))


# --- Other names -----------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_relabel_exchanges_the_suits_of_a_colour(position: Position, start: int) -> None:
    state, seat = position
    view = position.view
    renamed = telling.relabel(view, np.random.default_rng(start))
    fits = []
    for red, black in ((False, False), (False, True), (True, False), (True, True)):
        swap = {"D": "DH"[red], "H": "HD"[red], "C": "CS"[black], "S": "SC"[black]}

        def other(card: str, swap: dict[str, str] = swap) -> str:
            return card if card == literal.JOKER else card[:-1] + swap[card[-1]]

        exchanged = position.after(literal.Pass())
        exchanged.passes = state.passes
        exchanged.hands = [[other(card) for card in hand] for hand in state.hands]
        exchanged.deck = [other(card) for card in state.deck]
        exchanged.discards = [other(card) for card in state.discards]
        twin = Position(exchanged, seat)
        if view.tobytes() == twin.view.tobytes():
            fits.append((other, twin))
    assert fits
    for other, twin in fits[:1]:
        for move in some_moves(random.Random(start), position, 10):
            word = renamed(position.code(move))
            cards = tuple(other(card) for card in move.cards)
            if (red := [card_of(face) for face in faces(cards)]) and len(fits) == 1:
                there = move._replace(cards=tuple(red), pair=(), run=())
                assert word == twin.code(there)
            assert bool(plays.is_legal(view, Word(word))) == (position.refusal(move) is None)
            assert word & (1 << 54) - 1 == position.code(move) & (1 << 54) - 1
    for move in telling.moves_of(position.view):
        assert plays.is_legal(view, Word(renamed(move)))
    listed = sorted(renamed(move) for move in telling.moves_of(position.view))
    assert len(listed) == len(telling.moves_of(view))


def test_relabel_makes_each_exchange_as_often() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    position = position_of({}, "KS QD")
    for start in range(200):
        view = position.view
        telling.relabel(view, np.random.default_rng(start))
        counts[tuple(view.hand[:2].tolist())] += 1
    assert set(counts) == {
        tuple(sorted((face_of(red), face_of(black)))) for red in ("QD", "QH") for black in ("KS", "KC")
    }
    assert stats.chisquare(list(counts.values())).pvalue > 1e-5


@pytest.mark.parametrize("team_size", [1, 2])
def test_sides_and_rotate(team_size: int) -> None:
    rules = BASIC.replace(team_size=team_size)
    for seats in literal.SEATS[team_size]:
        teams = seats // team_size
        sides = telling.sides(rules, seats)
        names = tuple(COLOURS[seat % teams] for seat in range(seats))
        assert sides == (None if team_size == 1 else names)
        turns = telling.rotate(rules, seats)
        assert len(turns) == teams
        assert turns[0] == tuple(range(seats))
        for turned in turns:
            assert sorted(turned) == list(range(seats))
            for one, other in combinations(range(seats), 2):
                if one % teams == other % teams:
                    assert turned[one] % teams == turned[other] % teams  # partners stay together
        for seat in range(seats):
            assert sorted(turned[seat] % teams for turned in turns) == list(range(teams))


def test_score_range_and_longest() -> None:
    assert telling.score_range(BASIC) == (0, 1)
    for team_size, limit, most in ((1, 400, 200), (1, 7, 4), (2, 400, 100), (2, 5, 2), (1, 1, 1)):
        assert telling.longest(BASIC.replace(team_size=team_size, turn_limit=limit)) == most


def test_registration() -> None:
    assert find_game("crossways") is CROSSWAYS
    assert CROSSWAYS.log is LOG
    assert len({DECK, LAYOUT_PURPOSE}) == 2
    assert min(DECK, LAYOUT_PURPOSE) >= chance.GAME
    assert [column.name for column in CROSSWAYS.columns] == COLUMNS
    assert CROSSWAYS.columns[COLUMNS.index("turns")].name == CROSSWAYS.length
    assert CROSSWAYS.end_reasons == END_REASONS == literal.REASONS
    assert CROSSWAYS.variants["basic"] == {}
    for name in CROSSWAYS.variants:
        assert literal_rules(CROSSWAYS.variant(name))
    assert {"teams", "double-down", "king-of-the-mountain", "diagonals"} <= set(CROSSWAYS.variants)
    assert view_of(*position_of({}, "KS")).ahead == 0
