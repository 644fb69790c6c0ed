import assert from "node:assert/strict";
import { test } from "node:test";
import { doorsAt, type Occurrence, type Today } from "../../modules/calendar/display-src/today";
import { newDraft, problemsOf, withStart } from "../../modules/calendar/ui-src/draft";
import { repeatOf, ruleOf } from "../../modules/calendar/ui-src/repeat";

const draft = { ...newDraft("2026-11-22", "2026-11-20T12:00"), title: "Choir" };

test("an event ends after it begins, and at most 31 days later", () => {
	const [start, day] = ["2026-11-22T10:00", "2026-11-22"];
	for (const [end, allDay, wanted] of [
		["2026-11-22T10:01", false, undefined],
		["2026-11-22T10:00", false, "endBeforeStart"],
		["2026-12-22T23:59", false, undefined],
		["2026-12-23T00:00", false, "tooLong"],
		[`${day}T00:00`, true, undefined],
		["2026-11-21T23:59", true, "endBeforeStart"],
		["2026-12-22T00:00", true, undefined],
		["2026-12-23T00:00", true, "tooLong"],
		["", false, "timeNeeded"],
	] as const) {
		assert.equal(problemsOf({ ...draft, start, end, allDay }).end, wanted, `${start} to ${end}`);
	}
});

test("a repetition ends on its first day or later", () => {
	const repeat = { ...draft.repeat, unit: "DAILY", ends: "on" } as const;
	for (const [until, wanted] of [
		["2026-11-22", undefined],
		["2026-11-21", "untilBeforeStart"],
		["", "timeNeeded"],
	] as const)
		assert.equal(problemsOf({ ...draft, repeat: { ...repeat, until } }).until, wanted, until);
});

test("a new event is at ten, or today at the next full hour after ten", () => {
	assert.equal(newDraft("2026-11-22", "2026-11-22T10:00").start, "2026-11-22T10:00");
	assert.equal(newDraft("2026-11-22", "2026-11-22T10:01").start, "2026-11-22T11:00");
	assert.equal(newDraft("2026-11-22", "2026-11-21T23:01").start, "2026-11-22T10:00");
});

test("the end moves with the start, but an end before the start stays", () => {
	assert.equal(withStart(draft, "2026-11-23T18:30").end, "2026-11-23T19:30");
	assert.equal(withStart({ ...draft, end: "2026-11-22T09:00" }, "2026-11-23T18:30").end, "2026-11-22T09:00");
});

test("a rule that the fields can show becomes the same rule", () => {
	for (const [start, ...rules] of [
		["2026-11-01", "FREQ=MONTHLY;BYDAY=1SU", "FREQ=DAILY", "FREQ=DAILY;INTERVAL=2;COUNT=3"],
		["2026-11-07", "FREQ=MONTHLY;BYDAY=1SA", "FREQ=WEEKLY;BYDAY=SA", "FREQ=YEARLY;UNTIL=20301107"],
		["2026-11-08", "FREQ=MONTHLY;BYDAY=2SU", "FREQ=WEEKLY;BYDAY=MO,SU"],
		["2026-11-28", "FREQ=MONTHLY;BYDAY=4SA", "FREQ=MONTHLY;BYDAY=-1SA", "FREQ=MONTHLY"],
		["2026-11-29", "FREQ=MONTHLY;BYDAY=5SU", ""],
	] as const)
		for (const rule of rules) {
			const repeat = repeatOf(rule, start);
			assert.equal(repeat.unit === "OTHER", false, rule);
			assert.equal(ruleOf(repeat, start), rule);
		}
});

test("a rule that the fields cannot show stays as it is", () => {
	for (const rule of [
		"FREQ=MONTHLY;BYDAY=2SU", // of another week than the day
		"FREQ=MONTHLY;BYMONTHDAY=1,15",
		"FREQ=WEEKLY;BYDAY=MO,1TU",
		"FREQ=YEARLY;BYDAY=1SU",
		"FREQ=DAILY;BYHOUR=9",
	]) {
		assert.equal(repeatOf(rule, "2026-11-01").unit, "OTHER", rule);
		assert.equal(ruleOf(repeatOf(rule, "2026-11-01"), "2026-11-01"), rule);
	}
});

test("a screen shows what goes on in a room and what comes there today, until it ends", () => {
	const occurrence = (event: string, from: string, until: string, ...rooms: number[]): Occurrence => ({
		...{ event, date: from, title: event, allDay: false, rooms },
		...{ start: from, end: until, startsAt: `${from}:00Z`, endsAt: `${until}:00Z` },
	});
	const today: Today = {
		...{ serverTime: "", rev: 1, zone: "UTC", rooms: [{ id: 1, name: "Hall" }] },
		occurrences: [
			occurrence("choir", "2026-11-22T10:00", "2026-11-22T11:00", 1),
			occurrence("walk", "2026-11-22T10:30", "2026-11-22T12:00"),
			occurrence("band", "2026-11-22T11:00", "2026-11-22T12:00", 1),
			occurrence("late", "2026-11-22T23:59", "2026-11-23T01:00", 1),
			occurrence("tomorrow", "2026-11-23T00:00", "2026-11-23T01:00", 1),
		],
	};
	const at = (time: string) =>
		doorsAt(today, Date.parse(`2026-11-22T${time}Z`)).map(({ name, now, next }) =>
			[name, ...now.map(({ event }) => event), ":", ...next.map(({ event }) => event)].join(" "),
		);
	assert.deepEqual(at("09:59:59"), ["Hall : choir band", " : walk"]);
	assert.deepEqual(at("10:00:00"), ["Hall choir : band late", " : walk"]);
	assert.deepEqual(at("11:00:00"), ["Hall band : late", " walk :"]);
	assert.deepEqual(at("12:00:00"), ["Hall : late"]);
});
