# SPDX-License-Identifier: BSD-3-Clause
# `python -m shoal` is the program.
"""The command line: ``python -m shoal relax molecules.sdf`` is ``shoal relax molecules.sdf``."""

import sys

from shoal_program import main

if __name__ == "__main__":
    sys.exit(main())
