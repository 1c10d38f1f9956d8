"""Puts the long-term memory of one project together; the engine opens it so, and so does the command line."""

from paitui.clock import Clock
from paitui.locale import Language
from paitui.memory.identity import identify
from paitui.memory.library import Library
from paitui.memory.project_files import ProjectFiles
from paitui.memory.recall import Recall
from paitui.memory.service import MemoryService
from paitui.memory.store import MemoryStore
from paitui.memory.usage import UsageLog
from paitui.paths import Paths
from paitui.trust.fence import Fence


def open_library(paths: Paths, clock: Clock, language: Language) -> Library:
    """Give the long-term memory as a project sees it; nothing is read yet.

    Args:
        paths: Home and project.
        clock: For ages.
        language: In which entries are described to a model.
    """
    service = MemoryService(MemoryStore(paths.memory, clock), clock, paths.project, lambda: identify(paths.project))
    recall = Recall(clock, UsageLog(paths.memory.with_name("usage.jsonl")))
    return Library(service, recall, clock, language, ProjectFiles(Fence(paths.project), clock))
