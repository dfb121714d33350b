"""Exact values of Criss Cross for the player that chooses uniformly among all legal pairs of neighbouring spaces.

Such a player never looks at the symbols. So the set of filled spaces, the occupancy pattern, is a Markov chain, and
given the final pattern the symbols in the filled spaces are independent and uniform over the six. The chain has 589,168
reachable patterns on the 5×5 sheet with its corner taken, few enough to follow all of them, one layer a round. By
linearity of expectation the mean score then needs no more than, for every line, the distribution of its own filled
spaces, and for every such set the mean points over all equally likely ways to write symbols into it.

A pattern is an integer; bit ``size × row + column`` says that the space is filled. The corner, bit 0, is taken at the
start (the start options "assigned" and "rolled", which do not differ for one seat's mean).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt

from tests.reference.criss_cross import EMPTY, SYMBOLS, Rules, score_line

Cell = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Layer:
    """All reachable patterns with one number of pairs entered.

    Attributes
    ----------
    patterns
        Shape (n,), distinct and ascending.
    probabilities
        Shape (n,), the probability that the game passes through or ends in the pattern. They add up to 1 as long as no
        game has ended before.
    choices
        Shape (n,), the number of legal pairs of spaces; 0 where the game ends.
    """

    patterns: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]
    choices: npt.NDArray[np.int64]

    @property
    def stuck(self) -> int:
        """Number of patterns in which nothing more can be entered."""
        return int(np.count_nonzero(self.choices == 0))


def bit(cell: Cell, size: int) -> int:
    """Return the pattern in which only this space is filled."""
    row, column = cell
    return 1 << (size * row + column)


def neighbour_pairs(size: int) -> list[tuple[Cell, Cell]]:
    """All unordered pairs of spaces that share an edge."""
    cells = list(itertools.product(range(size), repeat=2))
    across = [((row, column), (row, column + 1)) for row, column in cells if column + 1 < size]
    down = [((row, column), (row + 1, column)) for row, column in cells if row + 1 < size]
    return across + down


@cache
def layers(size: int = 5) -> tuple[Layer, ...]:
    """Reachable patterns and their probabilities, by number of pairs entered from 0 on."""
    pairs = [bit(first, size) | bit(second, size) for first, second in neighbour_pairs(size)]
    patterns = np.array([bit((0, 0), size)], dtype=np.int64)
    probabilities = np.array([1.0])
    found = []
    while patterns.size:
        legal = [(patterns & pair) == 0 for pair in pairs]
        choices = np.array(legal).sum(axis=0, dtype=np.int64)
        found.append(Layer(patterns, probabilities, choices))
        # Where nothing is legal the share is never used; 1 only avoids a division by zero.
        shares = probabilities / np.maximum(choices, 1)
        reached = np.concatenate([patterns[mask] | pair for mask, pair in zip(legal, pairs, strict=True)])
        weights = np.concatenate([shares[mask] for mask in legal])
        patterns, positions = np.unique(reached, return_inverse=True)
        probabilities = np.bincount(positions, weights=weights, minlength=patterns.size)
    return tuple(found)


@cache
def final_patterns(size: int = 5) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Distribution over the patterns in which a game ends: the patterns and their probabilities, each of shape (n,)."""
    ended = [layer.choices == 0 for layer in layers(size)]
    patterns = np.concatenate([layer.patterns[mask] for layer, mask in zip(layers(size), ended, strict=True)])
    probabilities = np.concatenate([layer.probabilities[mask] for layer, mask in zip(layers(size), ended, strict=True)])
    return patterns, probabilities


@cache
def rounds_distribution(size: int = 5) -> tuple[float, ...]:
    """Probability that a seat enters symbols in exactly 0, 1, 2 … rounds."""
    return tuple([float(layer.probabilities[layer.choices == 0].sum()) for layer in layers(size)])


def row_cells(row: int, size: int) -> list[Cell]:
    """Return the spaces of a row, from the left."""
    return [(row, column) for column in range(size)]


def column_cells(column: int, size: int) -> list[Cell]:
    """Return the spaces of a column, from the top."""
    return [(row, column) for row in range(size)]


def diagonal_cells(size: int) -> list[Cell]:
    """Return the spaces of the diagonal, from the top-right to the bottom-left corner."""
    return [(row, size - 1 - row) for row in range(size)]


@cache
def line_fills(cells: tuple[Cell, ...], size: int = 5) -> dict[tuple[bool, ...], float]:
    """Distribution of which spaces of a line are filled at the end; a fill says so for each space in turn."""
    patterns, probabilities = final_patterns(size)
    distribution = {}
    for fill in itertools.product((False, True), repeat=len(cells)):
        matches = np.ones(patterns.size, dtype=np.bool_)
        for cell, filled in zip(cells, fill, strict=True):
            matches &= ((patterns & bit(cell, size)) != 0) == filled
        distribution[fill] = float(probabilities[matches].sum())
    return distribution


@cache
def expected_line_points(fill: tuple[bool, ...], rules: Rules) -> float:
    """Mean points of a line with these spaces filled, over all ways to write symbols into them."""
    ways = list(itertools.product(*[SYMBOLS if filled else (EMPTY,) for filled in fill]))
    total = sum(Fraction(score_line(symbols, rules)) for symbols in ways)
    return float(total / len(ways))


def expected_line_score(cells: Sequence[Cell], rules: Rules) -> float:
    """Mean points of one line at the end of the game (the diagonal unweighted)."""
    return sum(
        probability * expected_line_points(fill, rules)
        for fill, probability in line_fills(tuple(cells), rules.size).items()
    )


def expected_score(rules: Rules) -> float:
    """Mean total of the uniformly random legal player.

    With points 1 for one length of run and 0 for all others this is the mean number of runs of that length.

    Raises
    ------
    ValueError
        If the sheets start empty: here the corner is taken.
    """
    if rules.start == "empty":
        raise ValueError("start 'empty': the exact values are for 'assigned' and 'rolled'")
    score = 0.0
    for number in range(rules.size):
        score += expected_line_score(row_cells(number, rules.size), rules)
        score += expected_line_score(column_cells(number, rules.size), rules)
    return score + rules.diagonal_weight * expected_line_score(diagonal_cells(rules.size), rules)
