import calendar, time
calendar.monthrange(2024, 2), calendar.isleap(1900), calendar.day_name[0], calendar.timegm((1970, 1, 2, 0, 0, 0))
# --- cell
print(calendar.month(2024, 2))
# --- cell
time.strftime("%Y-%m-%d", time.gmtime(0)), time.gmtime(1e9)[:6], time.struct_time(range(9)).tm_hour, time.strptime("12:30", "%H:%M")[3:5]
# --- cell
start = time.monotonic(); time.sleep(0.001); time.monotonic() > start, time.perf_counter_ns() > 0, time.time() > 1.7e9
