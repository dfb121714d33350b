"""`python -m crosslab`."""

import sys

from crosslab.cli import main

if __name__ == "__main__":
    sys.exit(main())
