"""Shared by all tests: helpers beside the tests can be imported by their own unique names."""

import sys
from pathlib import Path

for folder in ("context", "stubs", "engine", "e2e", "bench", "replay", "memory"):
    sys.path.insert(0, str(Path(__file__).parent / folder))
