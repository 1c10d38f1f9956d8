"""Saving and resuming sessions."""
