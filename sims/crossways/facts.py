"""The facts of CrossWays: the board, the cards, the names of things."""

from math import comb

import numpy as np

from sims import chance
from sims.bits import Word
from sims.game import Column

SIDE = 8
SQUARES = SIDE * SIDE
RANKS = 13
SUITS = 4
WHITES = 12
MAX_TEAMS = 4
MAX_SEATS = 8
MAX_HAND = 6
MAX_DECKS = 4
MAX_MARKERS = 24
MAX_CARDS = MAX_DECKS * (SUITS * RANKS + 2)
MAX_TURNS = 1000

# A card's face is suit << 4 | rank. Suits are diamonds, hearts, clubs, spades, so that suit >> 1 is the colour (red,
# black); ranks are ace (0), 2 (1) … king (12). A square of the board has colour << 4 | rank, or WHITE.
SUIT_NAMES = "DHCS"
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
COLOUR_NAMES = "RB"
TEAM_NAMES = ("green", "blue", "yellow", "purple")  # the colours of their markers
JOKER = 63
WHITE = 31
FACES = [suit << 4 | rank for suit in range(SUITS) for rank in range(RANKS)]
FACE_NAMES = {face: RANK_NAMES[face & 15] + SUIT_NAMES[face >> 4] for face in FACES} | {JOKER: "JOKER"}

# What may be done in a turn. From PAIR_AND_RUN on, the number is PAIR_AND_RUN + markers placed − 1.
PASS, SINGLE, PAIR, RUN, JOKER_PLAY, PAIR_AND_RUN = range(6)
KIND_NAMES = ("pass", "single", "pair", "run", "joker", "pair-and-run")

GOAL_NAMES = ("sides", "own-sides", "corners", "block-3x3", "frame-4x4", "block-4x4", "straight")
SIDES, OWN_SIDES, CORNERS, BLOCK_3, FRAME_4, BLOCK_4, STRAIGHT = range(7)

END_REASONS = ("goal", "passes", "turn-limit")
RUNNING, BY_GOAL, BY_PASSES, BY_TURN_LIMIT = range(4)  # END_REASONS from 1 on

DECK = chance.GAME  # purposes of chance
LAYOUT = chance.GAME + 1

ILLEGAL = Word(0xFFFF_FFFF_FFFF_FFFF)
# A move has what is done and with which cards of the hand in its highest ten bits (kind << 6 | cards), then room for
# six markers of nine bits, the first one lowest: those that are removed (level in the stack << 6 | square), in
# ascending order, then those that are placed (the square), in ascending order.
SET_SHIFT, CARD_BITS, CARD_MASK = Word(54), Word(6), Word(63)
ITEM_BITS, ITEM_MASK, SQUARE_MASK, LEVEL_SHIFT = Word(9), Word(511), Word(63), Word(6)
STACK_BITS, STACK_MASK = Word(3), Word(7)  # of a marker in a stack: team + 1, the lowest marker in the lowest bits

ALL = Word(0xFFFF_FFFF_FFFF_FFFF)
NONE = Word(0)
# The number of ways to choose k of n things, shape (129, 7).
CHOICES = np.array([[comb(n, k) for k in range(MAX_HAND + 1)] for n in range(2 * SQUARES + 1)], np.uint64)

# Columns of the outcome, after score, rank and win.
TEAM, MARKERS, END, UNDECIDED, TURNS, SINGLES, PASSES, PLACED, REMOVED = 3, 4, 5, 6, 7, 8, 13, 14, 15
RESHUFFLES, PATH, DIRECTION = 16, 17, 18
COLUMNS = (
    Column("team", "colour of the markers: 0 green, 1 blue, 2 yellow, 3 purple"),
    Column("markers", "markers of the team on the board at the end"),
    Column("end", "why the game ended: 0 a team reached the goal, 1 all passed, 2 the turn limit"),
    Column("undecided", "1 when nobody reached the goal, else 0"),
    Column("turns", "turns of the game, all seats together, passes among them"),
    Column("singles", "single cards that the seat played"),
    Column("pairs", "pairs (or more of a rank) that it played"),
    Column("runs", "runs that it played"),
    Column("jokers", "jokers that it played"),
    Column("pairs_and_runs", "pairs together with runs that it played"),
    Column("passes", "turns that it passed"),
    Column("placed", "markers that it placed"),
    Column("removed", "markers that it removed, whoever owned them"),
    Column("reshuffles", "times that the discards became a new deck"),
    Column("path_length", "squares of the shortest winning path (or of the block, or line); 0 when undecided"),
    Column(
        "direction",
        "1: the path goes from top to bottom (corners: from the top left); −1: from left to right (corners: from the "
        "top right); 0: none, or both at once",
    ),
)
