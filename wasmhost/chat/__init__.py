"""A chat whose model answers in cells of code (``docs/chat.md``): what ``wasmhost chat`` is made of. Needs the extra
``chat``."""
