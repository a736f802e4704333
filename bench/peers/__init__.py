"""Ours beside everyone else's: the same programs, in turns, in one run (docs/performance.md is what it writes)."""
