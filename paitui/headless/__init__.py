"""One task without a screen: events become text, one JSON object, or JSON lines."""
