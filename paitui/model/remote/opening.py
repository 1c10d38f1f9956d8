"""From a name in the settings to a model that can be asked."""

import os
from collections.abc import Callable, Mapping, Sequence

from paitui.messages.message import ToolSpec, Usage
from paitui.model import providers as known_providers
from paitui.model.catalogue import Catalogue
from paitui.model.faults import Asked, no_key
from paitui.model.port import ModelFault, ModelInfo, Request
from paitui.model.providers import Providers
from paitui.model.remote.remote import Host, Patience, RemoteModel
from paitui.model.shaping import request_params
from paitui.settings import Settings


def open_remote(
    name: str,
    settings: Settings,
    host: Host,
    environment: Mapping[str, str] | None = None,
    tools: Callable[[], Sequence[ToolSpec]] = tuple,
    patience: Patience | None = None,
    providers: Providers | None = None,
    catalogue: Catalogue | None = None,
) -> RemoteModel:
    """Make a model of a name.

    Nothing is sent, and a missing key is no error yet: it is told when the model is asked.

    Args:
        name: As the user writes it, ``provider/name``.
        settings: All settings.
        host: Runs the requests.
        environment: For keys; None is the process environment.
        tools: Gives all tools that the session has now, for providers that want them named even where none may be
            called.
        patience: Time limits and tries.
        providers: The known providers, if they were read already.
        catalogue: The table of models, if it was read already (some 20 ms).

    Returns:
        The model.

    Raises:
        ValueError: The name is not of the form ``provider/name``.
    """
    providers = providers or known_providers.load()
    target = providers.target(name, settings, os.environ if environment is None else environment)
    facts = (catalogue or Catalogue.load(providers)).describe(name, settings)

    asked = Asked.of(target, window=facts.window)

    def build(request: Request) -> Mapping[str, object]:
        if target.lacks_key:
            fault = no_key(asked)
            raise ModelFault(fault.kind, fault.phrase)
        return request_params(target, request, facts, tools())

    def price(usage: Usage) -> float | None:
        return facts.price(usage.prompt, usage.cached, usage.completion)

    info = ModelInfo(name, facts.window, target.rule.sends_reasoning_back)
    return RemoteModel(info, host, build, price, asked, patience)
