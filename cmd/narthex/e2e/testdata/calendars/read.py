"""Prints the dates of a calendar from one day until another, as Python's icalendar reads it.

read.py FILE FIRST LAST: a line each, as in "CANCELLED 2026-12-06 10:00 Service".
"""

import sys
from datetime import date, datetime

from dateutil.rrule import rrulestr
from icalendar import Calendar


def clock(moment):
    form = "%Y-%m-%d %H:%M" if isinstance(moment, datetime) else "%Y-%m-%d"
    return moment.strftime(form)


def dates(event):
    """The moments at which a series, or a single event, begins."""
    start = event.decoded("DTSTART")
    if "RRULE" not in event:
        return [start]
    whole = not isinstance(start, datetime)
    begin = datetime(start.year, start.month, start.day) if whole else start
    rule = rrulestr(event["RRULE"].to_ical().decode(), dtstart=begin)
    return [at.date() if whole else at for at in rule[:1000]]


file, first, last = sys.argv[1:]
with open(file, "rb") as opened:
    calendar = Calendar.from_ical(opened.read())
events = list(calendar.walk("VEVENT"))
changed = {
    (str(e["UID"]), clock(e.decoded("RECURRENCE-ID"))): e for e in events if "RECURRENCE-ID" in e
}
lines = []
for series in events:
    if "RECURRENCE-ID" in series:
        continue
    for at in dates(series):
        event = changed.get((str(series["UID"]), clock(at)), series)
        begins = event.decoded("DTSTART") if event is not series else at
        cancelled = "CANCELLED " if event.get("STATUS") == "CANCELLED" else ""
        if first <= clock(begins)[:10] < last:
            lines.append((clock(begins), cancelled, str(event["SUMMARY"])))
for when, cancelled, title in sorted(lines):
    print(cancelled + when + " " + title)
