def available_timezones():
    """Returns a set containing all available time zones."""
    import _zoneinfo_files

    return set(_zoneinfo_files.places())
