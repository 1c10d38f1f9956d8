"""paitui: a terminal coding agent whose memory you can see and steer."""

__version__ = "0.1.0"
