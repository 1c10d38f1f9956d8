"""One provider and one model process for all tests of remote models: importing litellm takes seconds."""

from collections.abc import AsyncIterator

import pytest_asyncio

from paitui.model.remote.host import ModelHost
from tests.model.remote.remote_tools import warm
from tests.provider.server import Provider


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def provider() -> AsyncIterator[Provider]:
    started = await Provider().start()
    yield started
    await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host(provider: Provider) -> AsyncIterator[ModelHost]:
    started = ModelHost()
    await warm(started, provider)
    yield started
    await started.close()
