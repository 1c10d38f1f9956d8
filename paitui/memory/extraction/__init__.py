"""Lasting facts out of the user's own words: what is looked at, what is asked, what of the answer counts."""
