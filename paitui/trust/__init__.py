"""Whom to believe: the fence around files, the tags around data, secrets, and text made safe to show."""
