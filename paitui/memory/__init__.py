"""Long-term memory: what is kept across sessions, where it lies, and how it is found again."""
