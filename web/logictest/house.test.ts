import assert from "node:assert/strict";
import { test } from "node:test";
import { clockError } from "../kit/clockinput";
import { differs, houseTime, instantOf, kitHouse, localTime, zoneOf } from "../kit/house";

const inZone = (timeZone: string | null) => (kitHouse.value = { name: null, language: "en", timeZone });

test("times are those of the house, whatever the browser's zone", () => {
	const form = houseTime("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
	for (const [zone, local, words] of [
		["Europe/Berlin", "2026-12-06T10:00", "Sun 10:00"],
		["Pacific/Apia", "2026-12-06T22:00", "Sun 22:00"],
		["America/Los_Angeles", "2026-12-06T01:00", "Sun 01:00"],
		["Asia/Kathmandu", "2026-12-06T14:45", "Sun 14:45"],
		["UTC", "2026-12-06T09:00", "Sun 09:00"],
	] as const) {
		inZone(zone);
		assert.equal(localTime("2026-12-06T09:00:00.000Z"), local, zone);
		assert.equal(form("2026-12-06T09:00:00.000Z"), words, zone); // the same form follows the house
		assert.equal(instantOf(local), "2026-12-06T09:00:00.000Z", zone);
	}
});

test("each quarter of an hour around the changes of the clock is read as it was written", () => {
	for (const [zone, ...changes] of [
		["Europe/Berlin", "2027-03-28T01:00Z", "2027-10-31T01:00Z"],
		["America/Los_Angeles", "2027-03-14T10:00Z", "2027-11-07T09:00Z"],
		["Australia/Lord_Howe", "2027-04-03T15:00Z", "2027-10-02T15:30Z"], // by half an hour
		["Pacific/Apia", "2011-12-30T10:00Z"], // a day
		["Atlantic/Azores", "2027-03-28T01:00Z", "2027-10-31T01:00Z"],
		["Pacific/Kiritimati", "2027-03-28T01:00Z"],
	] as const) {
		inZone(zone);
		for (const change of changes) {
			const seen = new Set<string>();
			for (let quarter = -200; quarter < 200; quarter++) {
				const at = Date.parse(change) + quarter * 900_000;
				const local = localTime(at);
				if (seen.has(local)) continue; // it exists twice, and the first is meant
				seen.add(local);
				assert.equal(Date.parse(instantOf(local)), at, `${zone} ${local}`);
				assert.equal(clockError(local), undefined, `${zone} ${local}`);
			}
		}
	}
});

test("a time that the clock skips is refused with the two that exist", () => {
	inZone("Europe/Berlin");
	for (const local of ["2027-03-28T02:00", "2027-03-28T02:30", "2027-03-28T02:59"])
		assert.equal(clockError(local)?.startsWith("The clock skips"), true, local);
	assert.equal(clockError("2027-03-28T02:30"), "The clock skips 02:30 on this day. Choose 01:30 or 03:30.");
	const typing = ["0001-01-01T00:00", "0202-01-01T00:00", "12026-01-01T00:00", "2027-03-28", "x", "T", ""];
	for (const local of ["2027-03-28T01:59", "2027-03-28T03:00", "2027-10-31T02:30", ...typing])
		assert.equal(clockError(local), undefined, local);
	for (const local of ["", "?", "2027-03-28T?"]) assert.equal(instantOf(local), "", local);
	inZone("Australia/Lord_Howe");
	assert.equal(clockError("2027-10-03T02:15"), "The clock skips 02:15 on this day. Choose 01:45 or 02:45.");
	assert.equal(instantOf("2027-10-03T02:15"), "2027-10-02T15:45:00.000Z"); // with the offset before (RFC 5545)
});

test("a zone is named with its offset, and where the browser has another clock", () => {
	const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
	inZone(own);
	assert.equal(differs(), false);
	for (const [zone, name] of [
		["Europe/Berlin", "Berlin, UTC+1"],
		["America/Argentina/Buenos_Aires", "Buenos Aires, UTC\u22123"],
		["Asia/Tehran", "Tehran, UTC+3:30"],
		["UTC", "UTC"],
	] as const) {
		inZone(zone);
		assert.equal(zoneOf(new Date("2026-12-06T09:00Z")), name);
	}
	inZone("Pacific/Apia");
	assert.equal(differs(), own !== "Pacific/Apia");
	assert.equal(differs(own), false);
});

test("without a zone, and with one that the browser does not know, times are the browser's", () => {
	inZone(null);
	const own = localTime("2026-12-06T09:00Z");
	assert.equal(differs(), false);
	inZone("Europe/Nowhere");
	assert.equal(localTime("2026-12-06T09:00Z"), own);
	assert.equal(differs(), true); // the page names the browser's
	kitHouse.value = undefined;
	assert.equal(localTime("2026-12-06T09:00Z"), own);
});
