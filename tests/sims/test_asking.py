import numpy as np
import pytest
from scipy import stats

from sims.asking import best_of, rank_by_score
from sims.chance import fill_stream, new_streams
from sims.game import RANK, SCORE, WIN, WIN_UNIT


def stream(start: int = 1) -> np.record:
    streams = new_streams(1)
    fill_stream(streams[0], np.uint64(start))
    return streams[0]


def test_best_of_breaks_ties_at_random() -> None:
    counts = {10: 0, 12: 0, 13: 0}
    rng = stream(3)
    for _ in range(600):
        moves = np.array([10, 11, 12, 13], np.uint64)
        counts[int(best_of(moves, np.array([2.0, 1.5, 2.0, 2.0]), 4, rng))] += 1
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_best_of_looks_at_no_more_than_count() -> None:
    moves = np.array([10, 11, 12], np.uint64)
    assert best_of(moves, np.array([1.0, 2.0, 3.0]), 2, stream()) == 11


def test_best_of_takes_infinite_values() -> None:
    moves = np.array([10, 11], np.uint64)
    assert best_of(moves, np.array([-np.inf, -np.inf]), 1, stream()) == 10
    assert best_of(moves, np.array([0.0, np.inf]), 2, stream()) == 11


@pytest.mark.parametrize(
    ("scores", "ranks", "wins"),
    [
        ([7], [1], [WIN_UNIT]),
        ([-5, 3], [2, 1], [0, WIN_UNIT]),
        ([4, 4, 1], [1, 1, 3], [WIN_UNIT // 2, WIN_UNIT // 2, 0]),
        ([1, 9, 1, 9, 9], [4, 1, 4, 1, 1], [0, WIN_UNIT // 3, 0, WIN_UNIT // 3, WIN_UNIT // 3]),
        ([0, 0, 0, 0, 0], [1] * 5, [WIN_UNIT // 5] * 5),
    ],
)
def test_rank_by_score(scores: list[int], ranks: list[int], wins: list[int]) -> None:
    outcomes = np.zeros((len(scores), 3), np.int16)
    outcomes[:, SCORE] = scores
    rank_by_score(outcomes)
    assert outcomes[:, RANK].tolist() == ranks
    assert outcomes[:, WIN].tolist() == wins
