"""Counting outcomes against NumPy."""

import numpy as np

from sims.tally import tally


def test_tally_counts_scores_and_adds_columns() -> None:
    rng = np.random.default_rng(2)
    outcomes = rng.integers(-9, 31, (50, 3, 5)).astype(np.int16)
    counts, sums = np.zeros((3, 40), np.int64), np.ones((3, 5), np.int64)
    tally(outcomes, -9, counts, sums)
    for seat in range(3):
        assert counts[seat].tolist() == np.bincount(outcomes[:, seat, 0] + 9, minlength=40).tolist()
    assert (sums == outcomes.sum(axis=0) + 1).all()
