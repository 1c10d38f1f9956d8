"""From blocks and reports to lines. Pure functions of data, width and look; no widget, no colour."""
