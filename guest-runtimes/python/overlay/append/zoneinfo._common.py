def load_tzdata(key):  # instead of files, the module into which the build has put them
    import io

    import _zoneinfo_files

    place = _zoneinfo_files.places().get(key)
    if place is None:
        raise ZoneInfoNotFoundError(f"No time zone found with key {key}")  # noqa: F821
    start, size = place
    return io.BytesIO(_zoneinfo_files.DATA[start : start + size])
