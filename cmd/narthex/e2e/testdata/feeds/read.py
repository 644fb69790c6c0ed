"""Prints what a reader of news shows of a feed, as Python's feedparser reads it: what it is, then each entry.

read.py FILE
"""

import sys

import feedparser

feed = feedparser.parse(sys.argv[1])
if feed.bozo:
    print("WRONG", feed.bozo_exception)
print(feed.version, feed.feed.title, feed.feed.language, feed.feed.updated, feed.feed.author)
for entry in feed.entries:
    (content,) = entry.content
    print(entry.id, entry.title_detail.type, entry.title)
    print(" ", content.type, content.value)
