"""What an import of something that is not there is answered with."""

import _frozen_importlib
import sys
import types

# Third-party names that programs reach for, and what is near to them here.
NEAR = {
    "numpy": "math, statistics, array, fractions, random",
    "scipy": "math, statistics, fractions",
    "pandas": "csv, sqlite3, collections, statistics, itertools",
    "polars": "csv, sqlite3, collections, statistics",
    "sklearn": "statistics, math, random",
    "torch": "math, array",
    "tensorflow": "math, array",
    "sympy": "fractions, decimal, math",
    "matplotlib": "printing a table or text",
    "seaborn": "printing a table or text",
    "plotly": "printing a table or text",
    "PIL": "zlib and struct, for simple formats",
    "cv2": "zlib and struct, for simple formats",
    "yaml": "json, tomllib, configparser",
    "ruamel": "json, tomllib, configparser",
    "toml": "tomllib",
    "tomli": "tomllib",
    "orjson": "json",
    "ujson": "json",
    "simplejson": "json",
    "bs4": "html.parser, xml.etree.ElementTree",
    "lxml": "xml.etree.ElementTree, html.parser",
    "regex": "re",
    "dateutil": "datetime, zoneinfo, calendar",
    "pytz": "zoneinfo",
    "arrow": "datetime, zoneinfo",
    "pendulum": "datetime, zoneinfo",
    "attr": "dataclasses",
    "attrs": "dataclasses",
    "pydantic": "dataclasses, typing",
    "tabulate": "str.format, textwrap",
    "rich": "textwrap, pprint",
    "tqdm": "print",
    "click": "argparse",
    "typer": "argparse",
    "pytest": "unittest",
    "networkx": "graphlib, heapq, collections",
    "sortedcontainers": "bisect, heapq",
    "more_itertools": "itertools",
    "toolz": "itertools, functools",
    "typing_extensions": "typing",
    "six": "the language itself",
    "cryptography": "hashlib, hmac, secrets",
    "Crypto": "hashlib, hmac, secrets",
    "jwt": "hmac, hashlib, base64, json",
    "sqlalchemy": "sqlite3",
    "openpyxl": "zipfile and xml.etree.ElementTree",
    "IPython": "print, pprint",
}
NETWORK = {"requests", "httpx", "aiohttp", "urllib3", "websocket", "websockets", "paramiko", "boto3", "selenium", "playwright"}
NETWORK |= {"openai", "anthropic", "google", "redis", "psycopg2", "pymysql", "pymongo", "grpc", "flask", "fastapi", "django"}
LEFT_OUT = {
    "ctypes": "no foreign code can be loaded",
    "multiprocessing": "there are no processes",
    "tkinter": "there is no display",
    "turtle": "there is no display",
    "curses": "there is no terminal",
    "readline": "there is no terminal",
    "termios": "there is no terminal",
    "pty": "there is no terminal",
    "tty": "there is no terminal",
    "ssl": "there is no network",
    "_ssl": "there is no network",
    "_socket": "there is no network",
    "smtplib": "there is no network",
    "ftplib": "there is no network",
    "imaplib": "there is no network",
    "poplib": "there is no network",
    "webbrowser": "there is no network",
    "fcntl": "there are no files",
    "mmap": "there are no files",
    "dbm": "there are no files; sqlite3 works in memory",
    "resource": "the limits are set by the host",
    "syslog": "there is no system log",
    "ensurepip": "packages cannot be installed",
    "pip": "packages cannot be installed",
    "venv": "packages cannot be installed",
    "test": "it is not needed to run programs",
    "idlelib": "there is no display",
}


def missing(name):
    start = f"No module named {name!r}"
    if not isinstance(name, str) or "." in name:
        return None
    if name in LEFT_OUT:
        return f"{start}: not part of this sandbox, since {LEFT_OUT[name]}"
    if name in sys.stdlib_module_names:
        return f"{start}: this part of the standard library is not in the sandbox"
    if name in NETWORK:
        return f"{start}: there is no network here, and packages cannot be installed; use what the host offers"
    end = "packages cannot be installed here"
    if name in NEAR:
        return f"{start}: {end}; near to it in the standard library: {NEAR[name]}"
    return f"{start}: {end}; the standard library is there"


native.bind("missing", missing)
native.set_import_code(_frozen_importlib._find_and_load_unlocked.__code__)
sys.meta_path.append(types.SimpleNamespace(find_spec=native.find_spec))
