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


def test_most_variants_have_their_seats_told_together(partners: Game) -> None:
    facts = game_facts(partners) | {"seat_numbers": {"basic": [2, 3], "pairs": [4, 6], "short": [2, 3]}}
    assert "\nseats             2 to 8 (pairs 4 or 6; all others 2 to 3)\n" in game_text(facts)


def test_long_names_keep_their_distance() -> None:
    facts = game_facts(find_game("crossways"))
    lines = game_text(facts).splitlines()
    assert max(map(len, lines)) <= 80
    start = lines.index("variants (--variant name)") + 1
    names = [line.split()[0] for line in lines[start : start + len(facts["variants"])]]
    assert names == list(facts["variants"])


def test_a_game_without_points_tells_its_margin_in_wins() -> None:
    crossways, criss_cross = find_game("crossways"), find_game("criss-cross")
    assert "\nmargin            0.01 wins a game\n" in game_text(game_facts(crossways))
    assert "\nmargin            0.1 points a game\n" in game_text(game_facts(criss_cross))
    assert crossways.columns[0].doc == "1 for a win, else 0"
    assert criss_cross.columns[0].doc == "points at the end"
