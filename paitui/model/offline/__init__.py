"""The built-in offline engine: rules instead of a model, honest about it."""
