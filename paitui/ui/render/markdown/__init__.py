"""Markdown as lines: what a model writes, parsed by markdown-it and drawn with spans."""
