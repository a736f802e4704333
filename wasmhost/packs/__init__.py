"""Packs: ready capabilities for files, a shell, HTTP and model sampling (``docs/packs.md``)."""
