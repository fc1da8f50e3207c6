"""Prints the next runs of a cron line. Usage: next-runs.py 'MIN HOUR DAY MONTH WEEKDAY' [COUNT] [FROM, as 2026-01-31T12:00]"""

import sys
from datetime import datetime, timedelta

months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
days = "sun mon tue wed thu fri sat".split()
short = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *"}


def stop(message):
    sys.exit(f"not a cron line: {message}")


def number(text, names, first):
    if text.lower() in names:
        return names.index(text.lower()) + first
    if not text.isdigit():
        stop(f"{text!r} is not a number")
    return int(text)


def values(field, low, high, names=(), first=0):
    result = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if step and (not step.isdigit() or int(step) == 0):
            stop(f"step {step!r}")
        if span == "*":
            start, end = low, high
        else:
            left, dash, right = span.partition("-")
            start = number(left, names, first)
            end = number(right, names, first) if dash else (high if step else start)
        if start < low or end > high or start > end:
            stop(f"{part!r} is not within {low} to {high}")
        result.update(range(start, end + 1, int(step or 1)))
    return result


if len(sys.argv) < 2:
    sys.exit(__doc__)
line = short.get(sys.argv[1].strip(), sys.argv[1])
fields = line.split()
if len(fields) != 5:
    stop(f"it has {len(fields)} fields instead of 5 (a file in /etc/cron.d also has a user)")
minute = values(fields[0], 0, 59)
hour = values(fields[1], 0, 23)
day = values(fields[2], 1, 31)
month = values(fields[3], 1, 12, months, 1)
weekday = {each % 7 for each in values(fields[4], 0, 7, days)}
count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
now = datetime.fromisoformat(sys.argv[3]) if len(sys.argv) > 3 else datetime.now()
# Both restricted: one of them is enough.
either = not fields[2].startswith("*") and not fields[4].startswith("*")

current = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
last = now + timedelta(days=366 * 9)
printed = 0
while printed < count and current < last:
    by_day = current.day in day
    by_weekday = (current.weekday() + 1) % 7 in weekday
    if current.month not in month or not ((by_day or by_weekday) if either else (by_day and by_weekday)):
        current = current.replace(hour=0, minute=0) + timedelta(days=1)
    elif current.hour not in hour:
        current = current.replace(minute=0) + timedelta(hours=1)
    elif current.minute not in minute:
        current += timedelta(minutes=1)
    else:
        print(current.strftime("%a %Y-%m-%d %H:%M"))
        printed += 1
        current += timedelta(minutes=1)
if printed == 0:
    stop("it never runs")
