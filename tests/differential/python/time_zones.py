from zoneinfo import ZoneInfo
from datetime import datetime, timedelta, timezone
berlin = ZoneInfo("Europe/Berlin")
s = datetime(2024, 3, 31, 1, 30, tzinfo=berlin)
s, s.utcoffset(), (s + timedelta(hours=1)).tzname(), s.astimezone(ZoneInfo("Asia/Tokyo")).isoformat()
# --- cell
datetime(2024, 10, 27, 2, 30, tzinfo=berlin, fold=0).utcoffset(), datetime(2024, 10, 27, 2, 30, tzinfo=berlin, fold=1).utcoffset()
# --- cell
timezone(timedelta(hours=-5, minutes=-30)), datetime(2000, 1, 1, tzinfo=timezone.utc).astimezone(ZoneInfo("America/New_York")).strftime("%c %Z %z")
# --- cell
try:
    ZoneInfo("Moon/Base")
except Exception as e:
    print(type(e).__name__, e)
