"""CrossWays in words, pictures and traces."""

import textwrap
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims import chance
from sims.bits import Word
from sims.chance import start_stream
from sims.crossways.facts import (
    BY_GOAL,
    COLUMNS,
    CORNERS,
    DECK,
    END_REASONS,
    FACE_NAMES,
    FACES,
    JOKER_PLAY,
    KIND_NAMES,
    PAIR,
    PAIR_AND_RUN,
    PASS,
    RUN,
    SIDE,
    SINGLE,
    SQUARES,
    TEAM_NAMES,
)
from sims.crossways.hands import (
    find_sets,
    insert_card,
    is_first_choice,
    spots_of,
)
from sims.crossways.kernel import (
    begin_turn,
    draw_card,
    finish_turn,
    make_play,
    new_hidden,
    set_up,
)
from sims.crossways.layouts import NAMES, layout_rows
from sims.crossways.listing import MAX_MOVES, count_moves, list_all, list_moves
from sims.crossways.paths import SHAPES, SHAPES_FROM, SHAPES_TO, end_of, is_path_goal, reach, start_of
from sims.crossways.plays import (
    cards_of,
    counting,
    has_won,
    height_of,
    is_legal,
    item_of,
    kind_of,
    level_of,
    links,
    markers_needed,
    placed_by,
    removed_by,
    set_of,
    square_of,
    team_at,
)
from sims.crossways.rules import CrossWaysRules, new_views
from sims.game import STANDARD_COLUMNS, WIN_UNIT
from sims.jit import jit

FARTHEST = 64  # what `standings` counts for a team whose ways are all blocked

# --- Tables ----------------------------------------------------------------------------------------------------------


def sides(rules: CrossWaysRules, seats: int) -> tuple[str, ...] | None:
    """Return the team of every seat; None when every seat plays for itself."""
    if rules.team_size == 1:
        return None
    return tuple(TEAM_NAMES[seat % (seats // rules.team_size)] for seat in range(seats))


def rotate(rules: CrossWaysRules, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return who of a line-up sits where: moved on by one seat each time, until every team has sat everywhere."""
    turns = seats // rules.team_size
    return tuple(tuple((seat - turn) % seats for seat in range(seats)) for turn in range(turns))


def score_range(rules: CrossWaysRules) -> tuple[int, int]:
    """Return the lowest and highest score: a win counts 1."""
    return 0, 1


def longest(rules: CrossWaysRules) -> int:
    """Return an upper bound of the decisions of a seat."""
    return -(-rules.turn_limit // (2 * rules.team_size))


# Compiled code hands its words to Python as whole numbers, and takes large ones back as `Word` only.

# --- Moves -----------------------------------------------------------------------------------------------------------


def square_name(view: Any, square: int) -> str:
    """Return a square as people say it: row and column from 1, and what stands there."""
    return f"row {square // SIDE + 1}, column {square % SIDE + 1} ({NAMES[int(view.squares[square])]})"


def faces_of(view: Any, cards: int) -> list[int]:
    """Return the faces of some cards of the hand."""
    return [int(face) for place, face in enumerate(view.hand) if cards >> place & 1]


def kind_number(move: int) -> int:
    """Return the place of what is done in `KIND_NAMES`."""
    return int(kind_of(Word(move)))


def faces_played(view: Any, move: int) -> list[int]:
    """Return the faces of the cards that a move plays."""
    return faces_of(view, int(cards_of(Word(move))))


def items_of(move: int) -> tuple[list[int], list[int]]:
    """Return the markers that a move removes, and the squares on which it places others."""
    removed, placed = int(removed_by(Word(move))), int(placed_by(Word(move)))
    items = [int(item_of(Word(move), index)) for index in range(removed + placed)]
    return items[:removed], items[removed:]


def marker_name(view: Any, item: int) -> str:
    """Return a marker as people say it: whose it is, and where."""
    square, level = int(square_of(item)), int(level_of(item))
    owner = int(team_at(view.stacks[square], level)) - 1
    whose = f"a {TEAM_NAMES[owner]}" if owner >= 0 else "no"
    high = f" at level {level}" if int(height_of(view.stacks[square])) > 1 else ""
    return f"{whose} marker{high} from {square_name(view, square)}"


def move_words(view: Any, move: int) -> str:
    """Return a move in words."""
    kind = kind_number(move)
    cards = " ".join(FACE_NAMES[face] for face in faces_played(view, move))
    if kind == PASS:
        return f"pass, discarding {cards}" if cards else "pass"
    removed, placed = items_of(move)
    parts = [f"remove {marker_name(view, item)}" for item in removed]
    parts += [f"place on {square_name(view, square & 63)}" for square in placed]
    return f"{KIND_NAMES[kind]} {cards}: {', '.join(parts)}"


def describe_move(view: Any, move: int) -> str:
    """Return a move in words, or what is wrong with it."""
    move = int(move)
    nonsense = f"move {move}, which is no play of the hand"
    if not 0 <= move < 1 << 64:
        return nonsense
    kind, cards = move >> 60, move >> 54 & 63
    most_placed = cards.bit_count() - 1 if kind >= PAIR_AND_RUN else PAIR_AND_RUN
    if kind - PAIR_AND_RUN >= most_placed or cards >> int(view.hand_sizes[int(view.seat)]):
        return nonsense
    words = move_words(view, move)
    if is_legal(view, Word(move)):
        return words
    return f"{words}; {_what_is_wrong(view, move)}"


def _what_is_wrong(view: Any, move: int) -> str:
    """Return why a move is not legal."""
    entry, team = int(set_of(Word(move))), int(view.team)
    kind = kind_number(move)
    removed, placed = items_of(move)
    if kind == PASS:
        if move & (1 << 54) - 1:
            return "a pass has nothing more to say"
        if view.discard_on_pass:
            if (entry & 63).bit_count() != 1:
                return "a pass discards one card"
            if not is_first_choice(view.hand, Word(entry & 63)):
                return "of equal cards the first one has to be named"
        elif entry & 63:
            return "a pass discards nothing"
        return "there is a play, and a pass is no choice"
    if entry not in [int(item) for item in view.sets[: int(view.set_count)]]:
        return "these cards are no such play (of equal cards the first ones have to be named)"
    if (move & (1 << 54) - 1) >> 9 * len(removed + placed):
        return "there is more in it than its markers"
    supply = int(view.supplies[team]) + sum(
        int(team_at(view.stacks[item & 63], item >> 6)) == team + 1 for item in removed
    )
    if len(placed) > supply:
        return f"the team has {supply} markers left"
    for item in removed:
        if item >> 6 >= int(height_of(view.stacks[item & 63])):
            return f"there is no such marker on {square_name(view, item & 63)}"
    white = int(view.white)
    for square in {item & 63 for item in removed}:
        if white >> square & 1 and sum(item & 63 == square for item in removed) % 2:
            return f"{square_name(view, square)} is white: its markers are removed two at a time"
    if removed != sorted(set(removed)) or placed != sorted(placed):
        return "markers have to be named in ascending order, each once"
    if kind == JOKER_PLAY and len(set(placed)) > 1:
        return "a joker and a card place two markers together"
    for square in sorted(set(placed)):
        if square >= SQUARES:
            return "markers that are placed have no level"
        times = placed.count(square)
        if white >> square & 1 and times % 2:
            return f"{square_name(view, square)} is white: markers are placed there two together"
        if kind in (SINGLE, JOKER_PLAY) and not int(spots_of(view, faces_played(view, move)[0])) >> square & 1:
            return f"{square_name(view, square)} is not the card's"
        if int(view.closed) >> square & 1 and not removed:
            return f"{square_name(view, square)} is closed"
    return "markers do not fit there (two of a team close a square)"


def moves_of(view: Any) -> list[int]:
    """Return the moves of a position that are worth a look; all are legal."""
    moves = np.empty(MAX_MOVES, np.uint64)
    return [int(move) for move in moves[: list_moves(view, moves)]]


def every_move(view: Any, most: int = 1_000_000) -> list[int]:
    """Return all distinct legal moves of a position: for small hands."""
    moves = np.empty(most, np.uint64)
    return [int(move) for move in moves[: list_all(view, moves)]]


# --- Pictures --------------------------------------------------------------------------------------------------------


def board_rows(names: list[str], markers: list[list[int]]) -> list[str]:
    """Return a board as lines of text: every square's name, and its markers from the lowest on, a letter a team."""
    cells = [
        f"{name:<3} {''.join(TEAM_NAMES[team][0] for team in teams) or '.':<6}"
        for name, teams in zip(names, markers, strict=True)
    ]
    return ["".join(cells[SIDE * row : SIDE * row + SIDE]).rstrip() for row in range(SIDE)]


def markers_on(stack: Any) -> list[int]:
    """Return the teams whose markers lie in a stack, the lowest first."""
    return [int(team_at(stack, level)) - 1 for level in range(int(height_of(stack)))]


def picture(view: Any) -> str:
    """Return what the seat to move sees, as text."""
    hand = " ".join(FACE_NAMES[int(face)] for face in view.hand[: int(view.hand_limit)])
    supplies = ", ".join(f"{TEAM_NAMES[team]} {int(view.supplies[team])}" for team in range(int(view.teams)))
    discards = " ".join(
        FACE_NAMES[face] + (f"×{int(count)}" if count > 1 else "") for face, count in enumerate(view.discards) if count
    )
    return "\n".join(
        [
            *board_rows([NAMES[int(code)] for code in view.squares], [markers_on(stack) for stack in view.stacks]),
            f"turn {view.turn}, seat {view.seat} (markers {TEAM_NAMES[int(view.team)]}), hand {hand}",
            f"markers left: {supplies}",
            f"cards in the deck {view.deck}, passes in a row {view.passes}",
            *textwrap.wrap(f"discards: {discards or 'none'}", 80, subsequent_indent="  "),
        ]
    )


# --- Traces ----------------------------------------------------------------------------------------------------------


def _draw(view: Any, seat: int, hidden: Any, draws: Any) -> list[list[int]]:
    """Refill a hand as the kernel does; return the faces in parts, between which the discards become the deck."""
    parts: list[list[int]] = [[]]
    for held in range(int(view.hand_sizes[seat]), int(view.hand_limit)):
        before = int(view.reshuffles)
        face = draw_card(view, hidden, draws)
        if int(view.reshuffles) > before:
            parts.append([])
        parts[-1].append(int(face))
        insert_card(hidden.hands[seat], held, face)
    view.hand_sizes[seat] = view.hand_limit
    view.deck = hidden.cards - hidden.drawn
    return parts


def _played_again(rules: CrossWaysRules, log: Any, seats: int) -> Iterator[tuple[Any, int, list[list[int]], Any]]:
    """Play a logged game again: yield the view before each move, the move, what is then drawn, and the view after it.

    The first hands come first, with a move of −1 each.
    """
    view = new_views(rules, seats)[0]
    hidden, draws = new_hidden(1).view(np.recarray)[0], chance.new_streams(1)[0]
    start_stream(draws, Word(log.key), DECK, 0)
    view.hand_limit, limit = 0, view.hand_limit
    set_up(view, hidden, draws)
    view.hand_limit = limit
    for seat in range(seats):
        view.seat = seat
        yield view, -1, _draw(view, seat, hidden, draws), view
    for turn in range(int(log.turns)):
        seat = int(begin_turn(view, hidden))
        before, move = view.copy(), Word(log.moves[turn])
        make_play(view, move, hidden)
        drawn: list[list[int]] = [[]]
        if not view.ended:
            drawn = _draw(view, seat, hidden, draws)
            finish_turn(view)
        yield before, int(move), drawn, view


def events(rules: CrossWaysRules, log: Any, seats: int) -> list[dict[str, Any]]:
    """Return a logged game as the events of a trace, in the order in which they happened."""
    told: list[dict[str, Any]] = []
    last = None
    for view, move, drawn, after in _played_again(rules, log, seats):
        last = after
        if not told:
            told.append({"type": "layout", "squares": layout_rows(view.squares)})
        if move >= 0:
            told.append(_play_event(view, move))
        for number, cards in enumerate(drawn):
            if number:
                told.append({"type": "reshuffle"})
            if cards:
                told.append({"type": "draw", "seat": int(view.seat), "cards": [FACE_NAMES[face] for face in cards]})
    assert last is not None
    end: dict[str, Any] = {"type": "end", "reason": END_REASONS[int(last.ended) - 1]}
    if last.ended == BY_GOAL:
        winner = int(last.winner)
        end |= {"team": winner, "cells": [list(divmod(square, SIDE)) for square in winning_squares(last, winner)]}
    return [*told, end]


def _play_event(view: Any, move: int) -> dict[str, Any]:
    cards = faces_played(view, move)
    names = [FACE_NAMES[face] for face in cards]
    event: dict[str, Any] = {"type": KIND_NAMES[kind_number(move)], "turn": int(view.turn), "seat": int(view.seat)}
    if kind_number(move) == PASS:
        return event | {"discarded": names}
    removed, placed = items_of(move)
    event |= {
        "cards": names,
        "placed": [list(divmod(square, SIDE)) for square in placed],
        "removed": [
            {
                "cell": list(divmod(item & 63, SIDE)),
                "team": int(team_at(view.stacks[item & 63], item >> 6)) - 1,
                "level": item >> 6,
            }
            for item in removed
        ],
    }
    if kind_number(move) == PAIR_AND_RUN:
        pair, run = split_cards(view, move)
        event |= {"pair": [FACE_NAMES[face] for face in pair], "run": [FACE_NAMES[face] for face in run]}
    return event


def split_cards(view: Any, move: int) -> tuple[list[int], list[int]]:
    """Return the faces of the pair and of the run of a pair-and-run; a card that is in both stands in both."""
    entries = [int(entry) for entry in view.sets[: int(view.set_count)]]
    whole = sorted(faces_played(view, move))
    removed, placed = (len(items) for items in items_of(move))
    for pair in (entry for entry in entries if entry >> 6 == PAIR):
        for run in (entry for entry in entries if entry >> 6 == RUN):
            pair_faces, run_faces = faces_of(view, pair & 63), faces_of(view, run & 63)
            sizes = (len(pair_faces) - placed, len(run_faces) - removed)
            if sizes == (0, 0) and sorted(pair_faces + run_faces) == whole:
                return pair_faces, run_faces
            for face in set(pair_faces) & set(run_faces):
                together = pair_faces + run_faces
                together.remove(face)
                if sizes in ((1, 0), (0, 1)) and sorted(together) == whole:
                    return pair_faces, run_faces
    raise ValueError(f"move {move} is no pair-and-run of this hand")


def _ways(view: Any, team: int) -> list[list[int]]:
    """Return the shortest winning path of each direction in which a team has won, from side to side."""
    goal, own, linked = int(view.goal), int(counting(view, team)), Word(links(view, team))
    won, found = int(has_won(view, team)), []
    for way in range(2):
        if not won >> way & 1:
            continue
        start, end = (int(side(goal, way)) for side in (start_of, end_of))
        came_from = {square: -1 for square in range(SQUARES) if own & start & 1 << square}
        queue = deque(came_from)
        while queue:
            square = queue.popleft()
            if end >> square & 1:
                path = [square]
                while came_from[path[-1]] >= 0:
                    path.append(came_from[path[-1]])
                found.append(path[::-1])
                break
            near = int(reach(Word(1 << square), linked, goal == CORNERS)) & own
            for other in range(SQUARES):
                if near >> other & 1 and other not in came_from:
                    came_from[other] = square
                    queue.append(other)
    return found


def winning_squares(view: Any, team: int) -> list[int]:
    """Return the squares of the shortest path (in order), block, frame or line that a team has won with."""
    goal = int(view.goal)
    if is_path_goal(goal):
        return min(_ways(view, team), key=len)
    own = int(counting(view, team))
    shapes = [int(shape) for shape in SHAPES[SHAPES_FROM[goal] : SHAPES_TO[goal]]]
    shape = next(shape for shape in shapes if shape & ~own == 0)
    return [square for square in range(SQUARES) if shape >> square & 1]


def standings(rules: CrossWaysRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return how near each seat's team is after each turn of a logged game, shape (turns, seats).

    That is minus the number of markers that it still needs at least: 0 when it has won.
    """
    near = np.zeros((int(log.turns), seats), np.int64)
    turn = 0
    for _, move, _, after in _played_again(rules, log, seats):
        if move >= 0:
            for seat in range(seats):
                near[turn, seat] = -min(int(markers_needed(after, seat % int(after.teams))), FARTHEST)
            turn += 1
    return near


def choices(rules: CrossWaysRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the number of distinct plays at each turn of a logged game, shape (turns, seats); 0 for all others.

    Passes are not counted, except where nothing else is possible.
    """
    counts = np.zeros((int(log.turns), seats), np.int64)
    for view, move, _, _ in _played_again(rules, log, seats):
        if move >= 0:
            counts[int(view.turn) - 1, int(view.seat)] = max(int(count_moves(view)), 1)
    return counts


def results(rules: CrossWaysRules, log: Any, outcomes: NDArray[np.int16]) -> list[dict[str, Any]]:
    """Return the outcome of a logged game for a trace, one entry a seat."""
    told = []
    for seat, row in enumerate(outcomes.tolist()):
        values = dict(zip((column.name for column in STANDARD_COLUMNS + COLUMNS), row, strict=True))
        told.append({"seat": seat, **values, "win": values["win"] / WIN_UNIT, "end": END_REASONS[values["end"]]})
    return told


def narrate(rules: CrossWaysRules, trace: dict[str, Any]) -> list[str]:
    """Return a trace as lines of text: every play, and the board at the end."""
    squares = [name for row in trace["events"][0]["squares"] for name in row]
    stacks: list[list[int]] = [[] for _ in range(SQUARES)]
    teams = len({seat["team"] for seat in trace["outcome"]})
    lines = []

    def told(cell: list[int]) -> str:
        return f"row {cell[0] + 1}, column {cell[1] + 1} ({squares[SIDE * cell[0] + cell[1]]})"

    for event in trace["events"][1:]:
        kind = event["type"]
        if kind == "draw":
            lines.append(f"  seat {event['seat']} draws {' '.join(event['cards'])}")
        elif kind == "reshuffle":
            lines.append("  the discards are shuffled and become the deck")
        elif kind == "pass":
            cards = f", discarding {' '.join(event['discarded'])}" if event["discarded"] else ""
            lines.append(f"turn {event['turn']}: seat {event['seat']} passes{cards}")
        elif kind == "end":
            lines.append(
                {
                    "goal": f"{TEAM_NAMES[event.get('team', 0)]} wins: " + ", ".join(map(told, event.get("cells", []))),
                    "passes": "all seats have passed: nobody wins",
                    "turn-limit": "the turn limit is reached: nobody wins",
                }[event["reason"]]
            )
        else:
            parts = [
                f"removes a {TEAM_NAMES[item['team']]} marker from {told(item['cell'])}" for item in event["removed"]
            ]
            parts += [f"places on {told(cell)}" for cell in event["placed"]]
            cards = " ".join(event["cards"])
            lines.append(f"turn {event['turn']}: seat {event['seat']}, {kind} {cards}: {', '.join(parts)}")
            for item in sorted(event["removed"], key=lambda item: -int(item["level"])):
                del stacks[SIDE * item["cell"][0] + item["cell"][1]][item["level"]]
            for cell in event["placed"]:
                stacks[SIDE * cell[0] + cell[1]].append(event["seat"] % teams)
    lines += ["", *board_rows(squares, stacks), ""]
    for seat, name in zip(trace["outcome"], trace["seats"], strict=True):
        won = "wins" if seat["win"] else "does not win"
        lines.append(f"seat {seat['seat']} (markers {TEAM_NAMES[seat['team']]}), {name}: {won}")
    return lines


# --- Other names -----------------------------------------------------------------------------------------------------


@jit
def _find_sets_of(view: Any) -> None:
    view.set_count = find_sets(view.hand, view.hand_limit, view.pairs_and_runs, view.sets)


def relabel(view: Any, rng: np.random.Generator) -> Callable[[int], int]:
    """Exchange the two suits of a colour at random: the board names colours only."""
    swapped = rng.integers(0, 2, 2)
    held = int(view.hand_sizes[int(view.seat)])
    before = [int(face) for face in view.hand[:held]]

    def renamed(face: int) -> int:
        return face ^ int(swapped[face >> 5]) << 4 if face in FACES else face

    after = sorted(renamed(face) for face in before)
    view.hand[:held] = after
    view.discards[:] = [view.discards[renamed(face)] for face in range(64)]
    _find_sets_of(view)

    def move_renamed(move: int) -> int:
        entry = int(set_of(Word(move)))
        cards, named = entry & 63, 0
        for face in [renamed(face) for place, face in enumerate(before) if cards >> place & 1]:
            named |= next(1 << place for place, other in enumerate(after) if other == face and not named >> place & 1)
        return (entry & ~63 | named) << 54 | move & (1 << 54) - 1

    return move_renamed
