import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.bits import Word
from sims.crossways import hands
from sims.crossways.rules import MAX_SETS
from sims.jit import COMPILED, jit
from tests.reference import crossways as literal
from tests.sims.crossways.positions import (
    KINDS,
    LAYOUT,
    RANKS,
    SUITS,
    bits,
    card_of,
    cards_named,
    face_of,
    faces,
    likely_hand,
    number_of,
    position_of,
    random_position,
    squares_in,
)

EXAMPLES = 400 if COMPILED else 60
DECK = [*literal.CARDS, literal.JOKER]


def row(hand: Sequence[str]) -> Any:
    held = np.zeros(6, np.uint8)
    held[: len(hand)] = faces(hand)
    return held


def sets_of(hand: Sequence[str], pairs_and_runs: bool) -> list[int]:
    found = np.full(MAX_SETS + 64, 9999, np.uint16)
    count = hands.find_sets(row(hand), len(hand), pairs_and_runs, found)
    assert np.all(found[count:] == 9999)
    return [int(entry) for entry in found[:count]]


# --- The literal choices of cards ------------------------------------------------------------------------------------


def is_run(cards: Sequence[str]) -> bool:
    """Two or more of a suit, their ranks in sequence; the ace stands before the 2 or after the king."""
    if len(cards) < 2 or literal.JOKER in cards or len({card[-1] for card in cards}) > 1:
        return False
    ranks = [RANKS.index(card[:-1]) for card in cards]
    return any(
        sorted(places) == list(range(min(places), min(places) + len(places)))
        for places in (ranks, [rank or 13 for rank in ranks])
    )


def is_pair(cards: Sequence[str]) -> bool:
    return len(cards) > 1 and literal.JOKER not in cards and len({card[:-1] for card in cards}) == 1


def brute_force(hand: Sequence[str], pairs_and_runs: bool) -> set[tuple[str, tuple[int, ...], int]]:
    """All (kind, faces, markers placed), from all ways to take cards of the hand: for pair and run twice."""
    parts = {
        tuple(sorted(part, key=face_of)) for number in range(1, len(hand) + 1) for part in combinations(hand, number)
    }
    found = set()
    for part in parts:
        told = tuple(faces(part))
        if len(part) == 1:
            found.add(("joker", told, 0) if part[0] == literal.JOKER else ("single", told, 1))
        if len(part) == 2 and part.count(literal.JOKER) == 1:
            found.add(("joker", told, 2))
        if is_pair(part):
            found.add(("pair", told, len(part)))
        if is_run(part):
            found.add(("run", told, 0))
    if not pairs_and_runs:
        return found
    # By card, not by face: every card lies in the pair, the run, both (one at most) or neither.
    for roles in product("-prb", repeat=len(hand)):
        if roles.count("b") > 1:
            continue
        pair = [card for card, role in zip(hand, roles, strict=True) if role in "pb"]
        run = [card for card, role in zip(hand, roles, strict=True) if role in "rb"]
        if is_pair(pair) and is_run(run):
            told = tuple(faces([card for card, role in zip(hand, roles, strict=True) if role != "-"]))
            found.add(("pair-and-run", told, len(pair)))
            if "b" in roles:
                found.add(("pair-and-run", told, len(pair) - 1))
    return found


def read_set(hand: Sequence[str], entry: int) -> tuple[str, tuple[int, ...], int]:
    kind, cards = entry >> 6, entry & 63
    ordered = faces(hand)
    told = tuple(face for place, face in enumerate(ordered) if cards >> place & 1)
    assert cards == cards_named(hand, [card_of(face) for face in told])  # of equal cards the first ones
    placed = {1: 1, 2: len(told), 3: 0, 4: 2 * (len(told) - 1)}.get(kind, kind - 4)
    assert int(hands.placed_by_set(Word(entry))) == placed
    removed = {1: 0, 2: 0, 3: len(told), 4: 2 - len(told)}.get(kind, len(told) - placed)
    assert int(hands.removed_by_set(Word(entry))) == removed
    return KINDS[min(kind, 5)], told, placed


@st.composite
def some_hands(draw: st.DrawFn) -> list[str]:
    source = random.Random(draw(st.integers(0, 2**32)))
    deck = literal.all_cards(literal.Rules(jokers_wild=source.random() < 0.5, decks=source.choice([1, 2, 4])))
    hand = likely_hand(source, deck, source.randint(0, 6))
    source.shuffle(hand)
    return hand


HANDS = [
    "",
    "KS",
    "JOKER",
    "JOKER JOKER",
    "JOKER JOKER KS KS",
    "AS 2S",
    "KS AS",
    "QS KS AS",
    "KS AS 2S",
    "AS 2S 3S KS QS JS",
    "QS KS AS 2S 3S",
    "KS AS AS 2S",
    "KH AS",
    "4S 5S 5H",
    "4S 5S 5S",
    "4S 5S 5S 5S",
    "4S 4S 5S 5S",
    "4S 5S 6S 5H 5D",
    "4S 5S 6S 5S 5S 6H",
    "AS AH KS",
    "AS AH 2S",
    "AS AH KS 2S",
    "KS KS KH KD KC KC",
    "2D 2D 2D 2D 2D 2D",
    "2D 2H 2C 2S 2D 2H",
    "2D 2H 2C 2S 3D 3H",
    "2D 3D 2H 3H 2C 3C",
    "2D 3D 4D 2H 3H 4H",
    "2D 3D 4D 5D 6D 7D",
    "10D JD QD KD AD 2D",
    "2D 2H 9C 9S JOKER 9S",
]


@pytest.mark.parametrize("pairs_and_runs", [False, True])
@pytest.mark.parametrize("hand", HANDS)
def test_find_sets_of_hands_that_are_hard(hand: str, pairs_and_runs: bool) -> None:
    cards = hand.split()
    found = [read_set(cards, entry) for entry in sets_of(cards, pairs_and_runs)]
    assert Counter(found) == Counter(brute_force(cards, pairs_and_runs))


@settings(max_examples=EXAMPLES)
@given(some_hands(), st.booleans())
def test_find_sets(hand: list[str], pairs_and_runs: bool) -> None:
    entries = sets_of(hand, pairs_and_runs)
    found = [read_set(hand, entry) for entry in entries]
    assert Counter(found) == Counter(brute_force(hand, pairs_and_runs))
    kinds = [kind for kind, _, _ in found]
    assert kinds == sorted(kinds, key=["single", "joker", "run", "pair", "pair-and-run"].index)


def test_brute_force_finds_what_the_literal_engine_chooses_among() -> None:
    for start in range(150 if COMPILED else 40):
        source = random.Random(start)
        jokers = source.random() < 0.5
        rules = literal.Rules(hand=source.randint(1, 6), jokers_wild=jokers, pairs_and_runs=source.random() < 0.5)
        position = random_position(source, rules=rules, seats=2)
        choices = {
            (choice.kind, tuple(faces(choice.cards)), choice.placed)
            for choice in literal.card_choices(position.situation)
        }
        assert choices == brute_force(position.hand, rules.pairs_and_runs)


@jit
def fullest_hand(faces: Any, sets: Any, hand: Any, fullest: Any) -> Any:
    """Go through all hands of six cards of four decks, and keep the one with the most sets.

    Suits are alike, so the first card may be a diamond. No face is there more than four times.
    """
    most, last = 0, len(faces)
    for a in range(13):
        hand[0] = faces[a]
        for b in range(a, last):
            hand[1] = faces[b]
            for c in range(b, last):
                hand[2] = faces[c]
                for d in range(c, last):
                    hand[3] = faces[d]
                    for e in range(d + (a == d), last):
                        hand[4] = faces[e]
                        for f in range(e + (b == e), last):
                            hand[5] = faces[f]
                            count = hands.find_sets(hand, 6, True, sets)
                            if count > most:
                                most = count
                                fullest[:] = hand
    return most


@pytest.mark.skipif(not COMPILED, reason="there are thirty million hands")
def test_no_hand_has_more_sets_than_there_is_room_for() -> None:
    everything = np.array(faces(DECK), np.uint8)
    sets, hand, fullest = np.zeros(1024, np.uint16), np.zeros(6, np.uint8), np.zeros(6, np.uint8)
    most = fullest_hand(everything, sets, hand, fullest)
    cards = [card_of(int(face)) for face in fullest]
    assert most == len(brute_force(cards, True)) <= MAX_SETS
    assert len(brute_force(["AD", "2D", "3D", "2H", "2C", "2S"], True)) == most


# --- The small functions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", DECK)
def test_faces(card: str) -> None:
    face = face_of(card)
    if card == literal.JOKER:
        assert (int(hands.rank_of(face)), face) == (15, 63)
        return
    assert RANKS[int(hands.rank_of(face))] == card[:-1]
    assert SUITS[int(hands.suit_of(face))] == card[-1]


def test_spots_of() -> None:
    view = position_of({}, "KS", jokers_wild=True).view
    for card in DECK:
        shown = "" if card == literal.JOKER else literal.square_of(card)
        expected = [number_of(cell) for cell in literal.CELLS if LAYOUT[cell[0]][cell[1]] == shown]
        assert squares_in(hands.spots_of(view, face_of(card))) == expected
        assert len(expected) == (0 if card == literal.JOKER else 2)


@given(st.integers(0, 9), st.integers(0, 63))
def test_make_set_and_its_parts(kind: int, cards: int) -> None:
    entry = Word(hands.make_set(kind, cards))
    assert entry == kind << 6 | cards
    assert (hands.kind_of_set(entry), hands.cards_of_set(entry)) == (kind, cards)


@given(st.lists(st.sampled_from(DECK), max_size=6))
def test_insert_card(cards: list[str]) -> None:
    hand = np.full(6, 99, np.uint8)
    for held, card in enumerate(cards):
        hands.insert_card(hand, held, face_of(card))
        assert hand[: held + 1].tolist() == faces(cards[: held + 1])
        assert np.all(hand[held + 1 :] == 99)


@given(some_hands())
def test_first_of_and_is_first_choice(hand: list[str]) -> None:
    held, ordered = row(hand), faces(hand)
    for face in ordered:
        assert hands.first_of(held, face) == 1 << ordered.index(face)
    for named in range(1 << len(hand)):
        places = [place for place in range(len(hand)) if named >> place & 1]
        cards = [card_of(ordered[place]) for place in places]
        assert bool(hands.is_first_choice(held, Word(named))) == (cards_named(hand, cards) == named)


@given(some_hands(), st.integers(0, 63), st.integers(0, 2**32))
def test_discard_cards(hand: list[str], named: int, start: int) -> None:
    held, ordered = row(hand), faces(hand)
    discards = np.array([random.Random(start + face).randrange(3) for face in range(64)], np.uint8)
    before = discards.copy()
    named &= (1 << len(hand)) - 1
    left = hands.discard_cards(held, len(hand), Word(named), discards)
    assert held[:left].tolist() == [face for place, face in enumerate(ordered) if not named >> place & 1]
    gone = Counter(face for place, face in enumerate(ordered) if named >> place & 1)
    assert (discards - before).tolist() == [gone[face] for face in range(64)]


@given(st.lists(st.integers(0, 999), max_size=8))
def test_add_set_keeps_every_entry_once(entries: list[int]) -> None:
    sets, count = np.zeros(8, np.uint16), 0
    for entry in entries:
        count = hands.add_set(sets, count, Word(entry))
    assert sets[:count].tolist() == list(dict.fromkeys(entries))


def test_placed_and_removed_add_up_to_the_cards() -> None:
    for kind, cards in product(range(1, 10), range(1, 7)):
        if (kind == 4 and cards > 2) or (kind >= 5 and not 0 < kind - 4 < cards):
            continue
        entry = Word(kind << 6 | bits(range(cards)))
        assert int(hands.placed_by_set(entry)) + int(hands.removed_by_set(entry)) == cards
