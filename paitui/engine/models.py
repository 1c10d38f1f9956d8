"""The models of a session: which can be chosen, and what belongs to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paitui.context.meter import Calibration
from paitui.context.thresholds import MIN_WINDOW, OFFLINE_WINDOW
from paitui.locale import Phrase, phrase
from paitui.messages.message import ToolSpec
from paitui.model.offline import OfflineModel
from paitui.model.port import Model
from paitui.settings import Settings

if TYPE_CHECKING:
    from paitui.model.remote.host import ModelHost

OFFLINE = "offline"
SHOWN = 40
"""Models that one listing names."""


class UnknownModel(Exception):
    """A name that stands for no model.

    Attributes:
        phrase: What to write instead.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(slots=True)
class Models:
    """Opens models by name. The process that talks to providers is shared, and made when it is first needed."""

    settings: Settings
    tools: Sequence[ToolSpec]
    """All tools of the session as they are now; some providers want them named in every request."""
    environment: Mapping[str, str]
    """For keys."""
    pace_s: float = 0.0
    """Pause between the words of the offline engine, in seconds."""
    fixed: Model | None = None
    """Stands for every name, in tests and replays."""
    _host: "ModelHost | None" = None
    _calibrations: dict[str, Calibration] = field(default_factory=dict)

    def open(self, name: str) -> Model:
        """Make a model of a name; nothing is sent.

        Args:
            name: ``offline`` or ``provider/name``.

        Raises:
            UnknownModel: The name is written in another way.
        """
        if self.fixed is not None:
            return self.fixed
        if name == OFFLINE:
            window = self.settings.context.window or OFFLINE_WINDOW
            return OfflineModel(window=max(MIN_WINDOW, window), pace_s=self.pace_s, extract=_facts_by_rules)
        from paitui.model.remote.host import ModelHost
        from paitui.model.remote.opening import open_remote

        if self._host is None:
            self._host = ModelHost()
        try:
            return open_remote(name, self.settings, self._host, self.environment, lambda: self.tools)
        except ValueError as error:
            raise UnknownModel(phrase("engine.model_unknown", name=name)) from error

    def calibration(self, name: str) -> Calibration:
        """How a model's reports relate to the estimate; learned once, whatever histories it is sent."""
        return self._calibrations.setdefault(name, Calibration(self.settings.context.prior))

    def start(self) -> None:
        """Start the process behind remote models, if one is in use; returns at once."""
        if self._host is not None:
            self._host.start()

    async def close(self) -> None:
        """End that process."""
        if self._host is not None:
            await self._host.close()

    def names(self, prefix: str) -> list[str]:
        """Name models that can be chosen.

        Args:
            prefix: Only names that begin so; empty for what is set up: the offline engine, models named in the
                settings, and those of providers whose key is known.

        Returns:
            Names as they are written, each once.
        """
        from paitui.model import providers
        from paitui.model.catalogue import Catalogue

        known = providers.load()
        catalogue = Catalogue.load(known)
        provider = prefix.partition("/")[0].lower()
        if provider:
            found = catalogue.known(provider, self.settings)
        else:
            ready = [
                rule.name
                for rule in known.rules.values()
                if rule.name in self.settings.providers or (rule.key_env and self.environment.get(rule.key_env))
            ]
            own = [name for name in self.settings.providers if name not in ready]
            found = [name for ready_one in (*ready, *own) for name in catalogue.known(ready_one, self.settings)]
        first = [OFFLINE, self.settings.model, self.settings.small_model]
        return [name for name in dict.fromkeys([*first, *found]) if name and name.startswith(prefix)]


def _facts_by_rules(text: str) -> str:
    from paitui.memory.extraction import answer, rules  # many patterns, not needed before a task is done

    return answer.write(rules.extract(text))
