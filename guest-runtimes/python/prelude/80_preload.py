"""Modules that are in the image already loaded, so that importing them costs nothing."""

import importlib

NAMES = """
json re asyncio datetime math collections itertools functools dataclasses typing random statistics decimal textwrap hashlib base64
csv io string urllib.parse traceback ast inspect types enum uuid html difflib copy heapq bisect operator contextlib abc pathlib
fractions time zlib struct pprint numbers unicodedata calendar collections.abc html.parser html.entities xml.etree.ElementTree
secrets hmac zoneinfo shlex glob fnmatch array cmath queue logging weakref warnings tokenize dis keyword token linecache graphlib
ipaddress tomllib locale encodings.idna _strptime pickle sqlite3 threading concurrent.futures argparse configparser tempfile
contextvars platform signal getpass gettext binascii codecs errno atexit unittest doctest timeit sched cmd code codeop
zipfile gzip bz2 lzma tarfile quopri colorsys reprlib stat shutil os.path urllib.request urllib.error email.message
concurrent.futures.thread importlib.util importlib.resources importlib.metadata string.templatelib
""".split()

for name in NAMES:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
