"""The same short waits as in the other tests of the screen."""

from tests.ui.conftest import short_pauses

__all__ = ["short_pauses"]
