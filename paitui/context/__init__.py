"""Keeps the history inside the window: offload, clear, summarise, and one report of where things stand."""
