"""The exact values of the uniformly random Criss Cross player: known counts, and two other ways to the same numbers."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tests.reference import criss_cross, criss_cross_exact
from tests.reference.criss_cross import ADVANCED, BASIC, Rules

COUNTS = [1, 38, 599, 5118, 26000, 81086, 154815, 175024, 109137, 33160, 4045, 144, 1]


@cache
def small_endings() -> dict[frozenset[tuple[int, int]], Fraction]:
    """Distribution over the filled spaces at the end of a 3×3 game, by following every order of play."""
    ended: dict[frozenset[tuple[int, int]], Fraction] = {}
    cells = [(row, column) for row in range(3) for column in range(3)]
    dominoes = [{one, two} for one in cells for two in cells if one < two and criss_cross.are_neighbours(one, two)]

    def follow(filled: frozenset[tuple[int, int]], probability: Fraction) -> None:
        choices = [domino for domino in dominoes if not domino & filled]
        if not choices:
            ended[filled] = ended.get(filled, Fraction(0)) + probability
        for domino in choices:
            follow(filled | domino, probability / len(choices))

    follow(frozenset({(0, 0)}), Fraction(1))
    return ended


def colourings(count: int, used: int = 0) -> Iterator[tuple[int, ...]]:
    """All ways to write six symbols into so many spaces, up to the names of the symbols."""
    if count == 0:
        yield ()
        return
    for symbol in range(1, min(used + 1, 6) + 1):
        for rest in colourings(count - 1, max(used, symbol)):
            yield (symbol, *rest)


def small_expected_score(rules: Rules) -> Fraction:
    """Mean total of a 3×3 game, over every final sheet as a whole."""
    mean = Fraction(0)
    for filled, probability in small_endings().items():
        total = Fraction(0)
        for colouring in colourings(len(filled)):
            sheet = criss_cross.empty_sheet(3)
            for (row, column), symbol in zip(sorted(filled), colouring, strict=True):
                sheet[row][column] = symbol
            total += math.perm(6, max(colouring)) * Fraction(criss_cross.score_sheet(sheet, rules).total)
        mean += probability * total / 6 ** len(filled)
    return mean


def test_neighbour_pairs() -> None:
    pairs = criss_cross_exact.neighbour_pairs(5)
    assert len(set(pairs)) == 40
    assert all(criss_cross.are_neighbours(first, second) for first, second in pairs)
    assert sum(1 for pair in pairs if (0, 0) not in pair) == 38


def test_reachable_patterns_by_pairs_entered() -> None:
    assert [layer.patterns.size for layer in criss_cross_exact.layers()] == COUNTS
    assert sum(COUNTS) == 589_168


def test_stuck_patterns_by_pairs_entered() -> None:
    stuck = [layer.stuck for layer in criss_cross_exact.layers()]
    assert stuck == [0] * 8 + [22, 758, 1016, 106, 1]  # the last is the full sheet


def test_every_pattern_of_a_layer_has_its_number_of_spaces_and_the_corner() -> None:
    for entered, layer in enumerate(criss_cross_exact.layers()):
        assert np.all(np.bitwise_count(layer.patterns) == 1 + 2 * entered)
        assert np.all(layer.patterns & 1 == 1)


def test_choices_are_the_legal_pairs_of_the_literal_sheet() -> None:
    chance = random.Random(3)
    pairs = criss_cross_exact.neighbour_pairs(5)
    for layer in criss_cross_exact.layers():
        for index in chance.sample(range(layer.patterns.size), min(20, layer.patterns.size)):
            pattern = int(layer.patterns[index])
            sheet = [[pattern >> (5 * row + column) & 1 for column in range(5)] for row in range(5)]
            free = [pair for pair in pairs if all(sheet[row][column] == 0 for row, column in pair)]
            assert layer.choices[index] == len(free)
            assert criss_cross.can_enter(sheet) == bool(free)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_final_patterns_are_distinct_and_certain(size: int) -> None:
    patterns, probabilities = criss_cross_exact.final_patterns(size)
    assert np.unique(patterns).size == patterns.size
    assert probabilities.min() > 0
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_final_patterns_of_every_order_of_play() -> None:
    patterns, probabilities = criss_cross_exact.final_patterns(3)
    expected = {
        sum(criss_cross_exact.bit(cell, 3) for cell in filled): float(probability)
        for filled, probability in small_endings().items()
    }
    assert dict(zip(patterns.tolist(), probabilities.tolist(), strict=True)) == pytest.approx(expected, abs=1e-14)


def test_final_patterns_are_symmetric_about_the_falling_diagonal() -> None:
    patterns, probabilities = criss_cross_exact.final_patterns()
    by_pattern = dict(zip(patterns.tolist(), probabilities.tolist(), strict=True))
    for pattern, probability in by_pattern.items():
        mirrored = sum(
            1 << (5 * column + row) for row in range(5) for column in range(5) if pattern >> (5 * row + column) & 1
        )
        assert by_pattern[mirrored] == pytest.approx(probability, rel=1e-9)


def test_rounds_distribution() -> None:
    distribution = criss_cross_exact.rounds_distribution()
    assert len(distribution) == 13
    assert sum(distribution) == pytest.approx(1, abs=1e-12)
    assert all(probability == 0 for probability in distribution[:8])
    assert all(probability > 0 for probability in distribution[8:])


def test_line_fills_of_the_corner_row() -> None:
    fills = criss_cross_exact.line_fills(tuple(criss_cross_exact.row_cells(0, 5)))
    assert sum(fills.values()) == pytest.approx(1, abs=1e-12)
    assert all(probability == 0 for fill, probability in fills.items() if not fill[0])
    assert fills[True, False, False, True, True] == 0  # two empty neighbours are never left


def test_expected_line_points() -> None:
    assert criss_cross_exact.expected_line_points((False,) * 5, BASIC) == 0
    assert criss_cross_exact.expected_line_points((False,) * 5, ADVANCED) == -5
    assert criss_cross_exact.expected_line_points((True, True, False, True, False), BASIC) == pytest.approx(2 / 6)
    assert criss_cross_exact.expected_line_points((True, True, False, False, False), ADVANCED) == pytest.approx(
        2 / 6 - 5 * 5 / 6
    )
    # All equal 1/36, two equal neighbours 2 × 5/36.
    assert criss_cross_exact.expected_line_points((True, True, True, False, False), BASIC) == pytest.approx(
        3 / 36 + 2 * 10 / 36
    )


def test_expected_score_of_the_basic_rules() -> None:
    assert criss_cross_exact.expected_score(BASIC) == pytest.approx(10.366581, abs=5e-7)


def test_expected_score_of_the_advanced_rules() -> None:
    assert criss_cross_exact.expected_score(ADVANCED) == pytest.approx(-21.517766, abs=5e-7)


def test_expected_score_is_linear_in_the_run_points() -> None:
    units = [Rules(run_points=tuple(int(length == unit) for length in range(5))) for unit in range(5)]
    runs = [criss_cross_exact.expected_score(rules) for rules in units]
    assert sum(points * count for points, count in zip(BASIC.run_points, runs, strict=True)) == pytest.approx(
        criss_cross_exact.expected_score(BASIC), abs=1e-10
    )
    # Each filled space is in one run of its row and one of its column.
    filled = sum((1 + 2 * entered) * part for entered, part in enumerate(criss_cross_exact.rounds_distribution()))
    assert sum(length * count for length, count in enumerate(runs, start=1)) == pytest.approx(2 * filled, abs=1e-10)


@pytest.mark.parametrize(
    "rules", [Rules(size=3), Rules(size=3, run_points=(1, -2, 7, 0, 0), zero_line_points=-5, diagonal_weight=2)]
)
def test_expected_score_of_every_final_sheet(rules: Rules) -> None:
    assert criss_cross_exact.expected_score(rules) == pytest.approx(float(small_expected_score(rules)), abs=1e-12)


def test_expected_score_refuses_an_empty_start() -> None:
    with pytest.raises(ValueError, match=r"^start 'empty': the exact values are for 'assigned' and 'rolled'$"):
        criss_cross_exact.expected_score(Rules(start="empty"))


@pytest.mark.parametrize("rules", [BASIC, ADVANCED], ids=["basic", "advanced"])
def test_expected_score_agrees_with_games_of_the_literal_engine(rules: Rules) -> None:
    chance = random.Random(2017)
    pairs = criss_cross_exact.neighbour_pairs(5)
    totals = []
    for _ in range(2000):
        sheet = criss_cross.empty_sheet(5)
        sheet[0][0] = chance.choice(criss_cross.SYMBOLS)
        while criss_cross.can_enter(sheet):
            free = [(one, two) for one, two in pairs if sheet[one[0]][one[1]] == 0 == sheet[two[0]][two[1]]]
            symbols = (chance.choice(criss_cross.SYMBOLS), chance.choice(criss_cross.SYMBOLS))
            criss_cross.enter(sheet, symbols, (symbols, chance.choice(free)))
        totals.append(criss_cross.score_sheet(sheet, rules).total)
    standard_error = statistics.stdev(totals) / math.sqrt(len(totals))
    assert abs(statistics.fmean(totals) - criss_cross_exact.expected_score(rules)) < 4 * standard_error
