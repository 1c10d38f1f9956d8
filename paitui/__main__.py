"""`python -m paitui`."""

import sys

from paitui.cli import main

sys.exit(main())
