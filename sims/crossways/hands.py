"""Hands of cards, and what can be played with which of them.

A hand is a row of faces in ascending order, so that equal cards are neighbours and each suit is in sequence. Cards of a
hand are named by bits, the first card lowest; of equal cards the first ones are always meant, so that the same cards
have one name only.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit
from sims.crossways.facts import (
    CARD_BITS,
    CARD_MASK,
    JOKER,
    JOKER_PLAY,
    NONE,
    PAIR,
    PAIR_AND_RUN,
    RANKS,
    RUN,
    SINGLE,
    SUITS,
)
from sims.jit import jit

RANK_MASK = Word(15)
RANK_BITS = Word((1 << RANKS) - 1)


@jit
def rank_of(face: Any) -> Any:
    """Return the rank of a face: ace 0, 2 is 1, … king 12; 15 for a joker."""
    return Word(face) & RANK_MASK


@jit
def suit_of(face: Any) -> Any:
    """Return the suit of a face: 0 diamonds, 1 hearts, 2 clubs, 3 spades."""
    return Word(face) >> Word(4)


@jit
def spots_of(view: Any, face: Any) -> Any:
    """Return the squares of the board that a card's colour and rank name; none for a joker."""
    return Word(view.spots[(Word(face) >> Word(5)) << Word(4) | (Word(face) & RANK_MASK)])


@jit
def make_set(kind: Any, cards: Any) -> Any:
    """Return what is done and with which cards as one number."""
    return Word(kind) << CARD_BITS | Word(cards)


@jit
def kind_of_set(entry: Any) -> Any:
    """Return what is done; from `PAIR_AND_RUN` on it also says how many markers are placed."""
    return Word(entry) >> CARD_BITS


@jit
def cards_of_set(entry: Any) -> Any:
    """Return the cards of the hand, as bits."""
    return Word(entry) & CARD_MASK


@jit
def placed_by_set(entry: Any) -> Any:
    """Return how many markers are placed."""
    kind, cards = kind_of_set(entry), bit_count(cards_of_set(entry))
    if kind == Word(SINGLE) or kind == Word(PAIR):
        return cards
    if kind == Word(JOKER_PLAY):
        return cards if cards > ONE else NONE
    if kind >= Word(PAIR_AND_RUN):
        return kind - Word(PAIR_AND_RUN - 1)
    return NONE


@jit
def removed_by_set(entry: Any) -> Any:
    """Return how many markers are removed."""
    kind, cards = kind_of_set(entry), bit_count(cards_of_set(entry))
    if kind == Word(RUN):
        return cards
    if kind == Word(JOKER_PLAY):
        return NONE if cards > ONE else ONE
    if kind >= Word(PAIR_AND_RUN):
        return cards - (kind - Word(PAIR_AND_RUN - 1))
    return NONE


@jit
def insert_card(hand: Any, held: Any, face: Any) -> None:
    """Put a card into a hand of `held` cards, in order."""
    place = np.int64(held)
    while place > 0 and hand[place - 1] > face:
        hand[place] = hand[place - 1]
        place -= 1
    hand[place] = face


@jit
def first_of(hand: Any, face: Any) -> Any:
    """Return the bit of the first card of a face in a hand that has one."""
    place = NONE
    while Word(hand[place]) != Word(face):
        place += ONE
    return ONE << place


@jit
def is_first_choice(hand: Any, cards: Any) -> Any:
    """Whether no card is meant while an equal one before it is not."""
    place = ONE
    left = Word(cards) >> ONE
    while left:
        if left & ONE and hand[place] == hand[place - ONE] and not (Word(cards) >> (place - ONE)) & ONE:
            return False
        left >>= ONE
        place += ONE
    return True


@jit
def add_set(sets: Any, count: Any, entry: Any) -> Any:
    """Write an entry that is not yet there; return how many there are."""
    for index in range(count):
        if Word(sets[index]) == entry:
            return count
    sets[count] = entry
    return count + 1


@jit
def find_sets(hand: Any, held: Any, pairs_and_runs: Any, sets: Any) -> Any:
    """Write what can be played with which cards to `sets`, whatever the board; return how many there are.

    Singles come first, then jokers, runs, pairs, and pairs with runs. All of the same cards stand together within a
    kind.
    """
    held = np.int64(held)
    count = 0
    ranks, twice, jokers = NONE, NONE, NONE  # of all cards, by suit: 16 bits each
    pair_ranks, seen = NONE, NONE
    for place in range(held):
        face = Word(hand[place])
        if face == Word(JOKER):
            jokers = jokers if jokers else ONE << Word(place)
            continue
        bit = ONE << face
        if ranks & bit:
            twice |= bit
        else:
            ranks |= bit
            sets[count] = make_set(SINGLE, ONE << Word(place))
            count += 1
        rank = ONE << rank_of(face)
        pair_ranks |= seen & rank
        seen |= rank
    if jokers:
        singles = count
        sets[count] = make_set(JOKER_PLAY, jokers)
        count += 1
        for index in range(singles):
            sets[count] = make_set(JOKER_PLAY, cards_of_set(sets[index]) | jokers)
            count += 1
    first_run = count
    # The ace stands for the rank above the king too.
    if ranks & (ranks >> ONE) or (ranks & (ranks >> Word(12))) & Word(0x0001_0001_0001_0001):
        for suit in range(SUITS):
            base = Word(16 * suit)
            own = (ranks >> base) & RANK_BITS
            own |= (own & ONE) << Word(RANKS)
            starts = own & (own >> ONE)
            while starts:
                rank = lowest_bit(starts)
                starts &= starts - ONE
                cards = first_of(hand, base | rank)
                rank += ONE
                while (own >> rank) & ONE:
                    cards |= first_of(hand, base | (NONE if rank == Word(RANKS) else rank))
                    sets[count] = make_set(RUN, cards)
                    count += 1
                    rank += ONE
    first_pair = count
    while pair_ranks:
        rank = lowest_bit(pair_ranks)
        pair_ranks &= pair_ranks - ONE
        group = NONE
        for place in range(held):
            if rank_of(hand[place]) == rank:
                group |= ONE << Word(place)
        cards = group
        while cards:
            if cards & (cards - ONE) and is_first_choice(hand, cards):
                sets[count] = make_set(PAIR, cards)
                count += 1
            cards = (cards - ONE) & group
    if pairs_and_runs:
        last = count
        for one in range(first_pair, last):
            for two in range(first_run, first_pair):
                pair, run = cards_of_set(sets[one]), cards_of_set(sets[two])
                placed = bit_count(pair)
                if not pair & run:
                    count = add_set(sets, count, make_set(Word(PAIR_AND_RUN - 1) + placed, pair | run))
                    continue
                # One card is in both: it counts on either side.
                count = add_set(sets, count, make_set(Word(PAIR_AND_RUN - 2) + placed, pair | run))
                count = add_set(sets, count, make_set(Word(PAIR_AND_RUN - 1) + placed, pair | run))
                # Or each side has a card of that face.
                face = hand[lowest_bit(pair & run)]
                for place in range(held):
                    more = ONE << Word(place)
                    if hand[place] == face and not pair & more:
                        count = add_set(sets, count, make_set(Word(PAIR_AND_RUN - 1) + placed, pair | run | more))
                        break
    return count


@jit
def discard_cards(hand: Any, held: Any, cards: Any, discards: Any) -> Any:
    """Move cards from a hand to the discards; return how many are left."""
    left = 0
    for place in range(np.int64(held)):
        face = hand[place]
        if (Word(cards) >> Word(place)) & ONE:
            discards[face] += 1
        else:
            hand[left] = face
            left += 1
    return left
