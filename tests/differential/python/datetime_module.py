from datetime import datetime, date, time, timedelta, timezone
d = datetime(2024, 2, 29, 13, 5, 9, 120)
d, d.isoformat(), d.strftime("%Y/%m/%d %H:%M:%S %j %a %b"), d + timedelta(days=366), d.replace(year=2020).weekday(), d.date().isocalendar()
# --- cell
datetime.fromisoformat("2024-05-06T07:08:09+02:00").astimezone(timezone.utc), datetime.strptime("5 Mar 2021 10PM", "%d %b %Y %I%p"), date.fromordinal(738000), time(1, 2).isoformat()
# --- cell
timedelta(hours=25, minutes=-3), timedelta(1) / timedelta(hours=1), str(timedelta(days=-1, seconds=5)), abs(timedelta(-1)), divmod(timedelta(5), timedelta(2))
# --- cell
date(2023, 2, 29)
# --- cell
datetime.strptime("x", "%Y")
# --- cell
d - datetime(2024, 1, 1, tzinfo=timezone.utc)
# --- cell
datetime.fromtimestamp(86400, timezone.utc), date(2024, 1, 31) - date(2023, 12, 25), f"{d:%d.%m.%y}", datetime.max, date(2024, 12, 30).strftime("%G-W%V-%u")
