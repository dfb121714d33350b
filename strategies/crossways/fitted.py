"""What positions of CrossWays are worth: the table of the planner, as fitted.

Logarithms of the odds to win, from positions that the planner left in its own games, a tenth of its plays random,
against rusher and balanced: logistic regression with a small penalty on squares, and on bends of the part for the
needs. Four rounds of 60,000 games each (seeds 100 to 103), each with the table of the one before. The share for later
seats (`LATER`) is set by hand.
"""

import numpy as np

from strategies.crossways.weighing import FARTHEST, TABLE

# fmt: off
NEEDS = (
    -0.17, -0.65, -0.58, -0.53, 0.21, 0.67, 0.76, 0.38, -0.28,
    0.13, -0.38, -0.44, -0.43, 0.19, 0.70, 0.95, 0.66, 0.05,
    0.33, -0.20, -0.47, -0.46, 0.24, 0.74, 1.18, 1.07, 0.61,
    0.36, -0.03, -0.38, -0.41, 0.17, 0.65, 1.15, 1.38, 1.23,
    0.04, -0.33, -0.71, -0.67, -0.20, 0.27, 0.75, 1.21, 1.45,
    -0.23, -0.73, -1.08, -1.03, -0.56, -0.07, 0.38, 0.89, 1.32,
    -0.39, -0.92, -1.36, -1.34, -0.88, -0.41, 0.06, 0.58, 1.02,
    -0.29, -0.74, -1.21, -1.33, -1.06, -0.70, -0.22, 0.26, 0.68,
    0.06, -0.26, -0.52, -0.74, -0.81, -0.69, -0.41, 0.01, 0.52,
)  # own need 1 to 9 by row, the others' need 1 to 9 by column
REST = (
    0.58, 1.14, -0.11, -0.39,  # two kept
    -0.03, 0.01, 0.02, -0.12,  # more kept
    -0.14, -0.11, 0.64, 0.69,  # pair kept
    -0.40, -0.16, 0.38, 0.52,  # run kept
    0.44, 0.34, -0.14, -0.30,  # run own
    0.74, 0.02, 0.00, -0.01, 0.19, 0.08, 0.32, 0.38, 0.56, 0.08, 0.16, 0.23,  # hits
    0.68, 0.21, 0.22, 0.08,  # ways
    -1.16, 0.08, -0.08, -0.11,  # their ways
    0.46, 0.19, -0.04, 0.38, 0.27, 0.01, -0.56, -0.50, -0.31, -0.62, -0.58, -0.72,  # narrow
    -0.78, -0.26, 0.02, -1.40, -1.42, -0.02, 0.17, 0.02, -0.07, 0.65, 0.56, 0.51,  # their narrow
    -0.70, -0.52, -0.46, -0.36,  # lead
    -0.55, -0.57, -0.48, -0.43,  # their lead
    -0.81,  # threat
    0.31,  # chance
    0.07,  # drawn
    0.14,  # supply
    0.50,  # later
)
# fmt: on
PLANNER = np.array(NEEDS + REST, np.float64)
assert len(NEEDS) == FARTHEST * FARTHEST
assert len(PLANNER) == TABLE
