"""Measurements. ``python -m bench NAME`` prints a table; medians of interleaved runs, compared within one run."""
