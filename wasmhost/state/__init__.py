"""Sessions as data: snapshots, and what is needed to go on with them elsewhere (``docs/state.md``)."""
