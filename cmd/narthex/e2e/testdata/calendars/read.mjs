// Prints the dates of a calendar from one day until another, as JavaScript's ical.js reads it.
//
// read.mjs LIBRARY FILE FIRST LAST: a line each, as in "CANCELLED 2026-12-06 10:00 Service".

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, file, first, last] = process.argv.slice(2);
const { default: ICAL } = await import(pathToFileURL(library));

const calendar = new ICAL.Component(ICAL.parse(readFileSync(file, "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);

const clock = (at) => at.toString().replace("T", " ").slice(0, at.isDate ? 10 : 16);
const lines = [];
const add = (item, start) => {
	const cancelled = item.component.getFirstPropertyValue("status") === "CANCELLED" ? "CANCELLED " : "";
	const when = clock(start);
	if (first <= when.slice(0, 10) && when.slice(0, 10) < last) lines.push([when, cancelled, item.summary]);
};
const all = calendar.getAllSubcomponents("vevent").map((found) => new ICAL.Event(found));
for (const event of all) {
	if (event.isRecurrenceException()) continue;
	if (!event.isRecurring()) {
		add(event, event.startDate);
		continue;
	}
	for (const other of all) {
		if (other.isRecurrenceException() && other.uid === event.uid) event.relateException(other);
	}
	const dates = event.iterator();
	for (let at = dates.next(), n = 0; at && n < 1000; at = dates.next(), n++) {
		const { item, startDate } = event.getOccurrenceDetails(at);
		add(item, startDate);
	}
}
lines.sort((a, b) => (a.join() < b.join() ? -1 : 1));
for (const [when, cancelled, title] of lines) console.log(`${cancelled}${when} ${title}`);
