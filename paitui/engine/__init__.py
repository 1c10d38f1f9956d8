"""The agent: one worker, one history per unit, a loop that fits on a screen."""
