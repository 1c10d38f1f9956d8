"""`python -m paitui`."""

import os
import sys

# -m looks for modules in the current folder first. That is the project's: a file in it that is called like one of
# ours must not be loaded, unless paitui itself lies there.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()] != [os.path.dirname(os.path.dirname(__file__))]:
    del sys.path[0]

from paitui.cli import main

sys.exit(main())
