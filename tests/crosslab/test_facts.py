"""The facts of a game: seats that depend on the rules are told variant by variant."""

from crosslab.facts import game_facts, game_text
from sims.game import Game, find_game


def test_seats_are_told_once_where_every_variant_has_all() -> None:
    facts = game_facts(find_game("criss-cross"))
    assert facts["seat_numbers"] == {"basic": [1, 2, 3, 4, 5, 6], "advanced": [1, 2, 3, 4, 5, 6]}
    assert "\nseats             1 to 6\n" in game_text(facts)


def test_seats_are_told_by_variant_where_they_differ(partners: Game) -> None:
    facts = game_facts(partners)
    assert facts["seats"] == [2, 8]
    assert facts["seat_numbers"] == {"basic": [2, 3, 4], "advanced": [4, 6, 8]}
    assert "\nseats             2 to 8 (basic 2 to 4; advanced 4, 6 or 8)\n" in game_text(facts)
