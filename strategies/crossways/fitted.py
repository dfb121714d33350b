"""What positions of CrossWays are worth: the table of the planner, as fitted.

Logarithms of the odds to win. The targets are what rounds ahead (`foresee`) made of positions, by a table fitted to
wins and losses before: for the plays that were tried and two others in every position of 6,000 games against rusher,
balanced, itself and idle, a tenth of its plays at random. Logistic regression in which differences within a position
count more, with a small penalty on squares, towards a weight for each marker to go, and on bends of the part for the
needs. The share for later seats (`LATER`) is set by hand.
"""

import numpy as np

from strategies.crossways.weighing import FARTHEST, TABLE

# fmt: off
NEEDS = (
    -0.48, -0.20, 0.57, 1.04, 1.65, 2.08, 2.35, 2.39, 2.30,
    -0.92, -0.62, -0.08, 0.32, 0.90, 1.32, 1.67, 1.82, 1.88,
    -1.40, -1.12, -0.81, -0.38, 0.23, 0.66, 1.05, 1.30, 1.54,
    -1.76, -1.48, -1.30, -0.88, -0.34, 0.08, 0.50, 0.84, 1.20,
    -2.03, -1.75, -1.64, -1.22, -0.71, -0.30, 0.13, 0.51, 0.91,
    -2.22, -2.02, -1.94, -1.53, -1.03, -0.62, -0.21, 0.20, 0.63,
    -2.53, -2.36, -2.22, -1.82, -1.33, -0.92, -0.51, -0.09, 0.35,
    -3.06, -2.76, -2.45, -2.04, -1.60, -1.21, -0.82, -0.42, 0.02,
    -3.70, -3.24, -2.78, -2.34, -1.87, -1.46, -1.10, -0.71, -0.32,
)  # own need 1 to 9 by row, the others' need 1 to 9 by column
REST = (
    0.13, 0.52, 0.21, 0.01,  # two kept
    0.00, 0.00, 0.22, 0.45,  # more kept
    0.31, 0.33, 0.50, 0.41,  # pair kept
    0.13, 0.18, 0.35, 0.27,  # run kept
    0.41, 0.32, 0.17, 0.02,  # run own
    0.72, 0.52, 0.00, 0.12, 0.23, 0.24, 0.25, 0.32, 0.37, 0.10, 0.16, 0.21,  # hits
    -0.14, 0.13, 0.14, 0.07,  # ways
    -0.72, 0.05, -0.08, -0.08,  # their ways
    -0.24, -0.04, 0.09, -0.25, -0.27, -0.02, -0.33, -0.32, -0.38, 0.01, 0.02, 0.00,  # narrow
    -0.27, -0.28, 0.00, -1.04, -1.24, -0.03, 0.23, 0.12, 0.05, 0.29, 0.24, 0.20,  # their narrow
    -0.51, -0.42, -0.41, -0.40,  # lead
    -0.50, -0.50, -0.41, -0.33,  # their lead
    -0.77,  # threat
    0.36,  # chance
    0.14,  # drawn
    0.14,  # supply
    0.50,  # later
)
# fmt: on
PLANNER = np.array(NEEDS + REST, np.float64)
assert len(NEEDS) == FARTHEST * FARTHEST
assert len(PLANNER) == TABLE
