"""The time-zone data is built in: `zoneinfo` uses it."""

from _zoneinfo_files import IANA_VERSION
from _zoneinfo_files import VERSION as __version__

__all__ = ["IANA_VERSION", "__version__"]
