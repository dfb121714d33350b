"""What people see: figures of frames, and pages that stand alone."""

from reports.comparison import write_comparison
from reports.figures import intervals, paired_difference, score_distributions

__all__ = ["intervals", "paired_difference", "score_distributions", "write_comparison"]
