"""CrossWays: cards put markers on a board, or take them away; the first path from side to side wins.

The board has 8×8 squares, red and black in turn, each with a rank; twelve are white. A seat holds five cards of two
decks, and plays once a turn, then draws. A single card puts one of its markers on one of the two squares of the card's
colour and rank. Two or more cards of a rank put as many markers on any squares; two or more of a suit in sequence
remove as many markers of anybody. Squares may hold markers of several colours, and all count; two of one colour close
a square. White squares take two of one colour at once, and give them back at once. The first orthogonal path from one
side to the opposite one wins. Two to four play for themselves, or in teams of two that share their markers. Source:
the CrossWays rulebook; where its board has each rank is an assumption of ours (`sims.crossways.layouts`).

How it is held: a square is 8·row + column, a set of squares a word. Of every team there are the squares with one marker
or more, with two, and with its marker on top; and of every square the stack. What is private to the game lies in the
modules of this folder: facts, layouts, rules, hands, paths, plays, listing, kernel, telling, elements.
"""

from sims.crossways.elements import element_kinds, tally_elements
from sims.crossways.facts import COLUMNS, END_REASONS, ILLEGAL, MAX_SEATS
from sims.crossways.kernel import play
from sims.crossways.rules import CHOOSE, FORBID, LOG, VALUE, VARIANTS, CrossWaysRules, new_views, seat_counts
from sims.crossways.telling import (
    choices,
    describe_move,
    events,
    longest,
    moves_of,
    narrate,
    picture,
    relabel,
    results,
    rotate,
    score_range,
    sides,
    standings,
)
from sims.elements import ElementFacts
from sims.game import Game, register

CROSSWAYS = register(
    Game(
        name="crossways",
        title="CrossWays",
        summary="cards place and remove markers on an 8×8 board; the first path from side to side wins",
        source="the CrossWays rulebook, with a layout of our own",
        rules_version="1",
        history={"1": "first version"},
        rules=CrossWaysRules,
        variants=VARIANTS,
        seats=(2, MAX_SEATS),
        seat_counts=seat_counts,
        decisions=("play: a single card, a pair or more, a run, what options add, or a pass",),
        extra_columns=COLUMNS,
        margin=0.01,
        score_range=score_range,
        score_is_win=True,
        longest=longest,
        choose=CHOOSE,
        value=VALUE,
        forbid=FORBID,
        illegal=int(ILLEGAL),
        log=LOG,
        new_views=new_views,
        play=play,
        events=events,
        results=results,
        narrate=narrate,
        moves=moves_of,
        picture=picture,
        describe_move=describe_move,
        relabel=relabel,
        length="turns",
        house_rules={
            "layout": ("random:1", "random:2"),
            "hand": (4, 6),
            "markers": (16, 20),
            "decks": (1,),
        },
        end_reasons=END_REASONS,
        standings=standings,
        standing_unit="markers",
        choices=choices,
        sides=sides,
        rotate=rotate,
        elements=ElementFacts(element_kinds, tally_elements),
    )
)
