"""What the context manager would have done with a recorded session, in figures."""

from typing import Literal

PolicyName = Literal["paitui", "baseline"]
"""Who decides in a replay: paitui's context manager, or the plain policy that it is compared with."""
