"""The built-in offline engine: rules instead of a model, honest about it.

`engine` streams what `decide` decides from a request alone: `view` takes the messages apart, `parse` reads the
user's words by the tables of `cues`, and one step function per kind of request (`reading`, `searching`, `running`,
`changing`, `survey`, `talking`) says which calls come next or what the answer is. `summarise` writes the
four-section summary from what `transcript` and `record` extract.
"""

from paitui.model.offline.engine import OfflineModel

__all__ = ["OfflineModel"]
