import assert from "node:assert/strict";
import { test } from "node:test";
import { isForScreen, isTime, type Only } from "../../modules/announcements/display-src/only";
import { kitHouse } from "../kit/house";

const only = (more: Partial<Only>): Only => ({ weekdays: [], hours: null, screens: [], ...more });
const hours = (from: string, until: string) => ({ hours: { from, until } });
const at = (moment: string) => Date.parse(moment);

/** How many minutes of the hours from one moment to another a slide is shown. */
function minutes(slide: Only, from: string, until: string): number {
	let shown = 0;
	for (let now = at(from); now < at(until); now += 60_000) if (isTime(slide, now)) shown++;
	return shown;
}

test("hours and weekdays are those of the house's clock, whatever the screen's zone is", () => {
	kitHouse.value = { name: null, language: "de", timeZone: "Pacific/Auckland" };
	const sunday = only({ weekdays: [7], ...hours("09:00", "12:30") });
	assert.equal(isTime(sunday, at("2026-12-05T19:59:00Z")), false); // Sunday 8:59 there, Saturday in Europe
	assert.equal(isTime(sunday, at("2026-12-05T20:00:00Z")), true);
	assert.equal(isTime(sunday, at("2026-12-05T23:29:59Z")), true);
	assert.equal(isTime(sunday, at("2026-12-05T23:30:00Z")), false);
	assert.equal(isTime(sunday, at("2026-12-06T20:00:00Z")), false); // Monday
	assert.equal(isTime(only({}), 0), true);
	assert.equal(isTime(null, 0), true);
});

test("hours over midnight belong to the day on which they begin", () => {
	kitHouse.value = { name: null, language: "de", timeZone: "UTC" };
	const night = only({ weekdays: [7], ...hours("22:00", "02:00") });
	assert.equal(isTime(night, at("2026-12-06T01:00:00Z")), false); // Sunday, but it began on Saturday
	assert.equal(isTime(night, at("2026-12-06T22:00:00Z")), true);
	assert.equal(isTime(night, at("2026-12-07T01:59:00Z")), true);
	assert.equal(isTime(night, at("2026-12-07T02:00:00Z")), false);
	assert.equal(isTime(night, at("2026-12-07T22:00:00Z")), false);
	const evening = only(hours("18:00", "00:00"));
	assert.equal(minutes(evening, "2026-12-06T00:00:00Z", "2026-12-07T00:00:00Z"), 360);
});

test("over both clock changes, hours begin and end by the clock on the wall", () => {
	kitHouse.value = { name: null, language: "de", timeZone: "Europe/Berlin" };
	const morning = only(hours("09:00", "12:00"));
	for (const [spring, before] of [["2026-03-28", "08"], ["2026-03-29", "07"], ["2026-10-24", "07"],
		["2026-10-25", "08"]] as const) {
		assert.equal(isTime(morning, at(`${spring}T${before}:00:00Z`)), true, spring);
		assert.equal(isTime(morning, at(`${spring}T${before}:00:00Z`) - 1), false, spring);
		assert.equal(minutes(morning, `${spring}T00:00:00Z`, `${spring}T20:00:00Z`), 180, spring);
	}
	const skipped = only(hours("02:00", "03:00"));
	assert.equal(minutes(skipped, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"), 0);
	assert.equal(minutes(skipped, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"), 120); // the hour comes twice
	const night = only({ weekdays: [6], ...hours("22:00", "06:00") });
	assert.equal(minutes(night, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"), 7 * 60);
	assert.equal(minutes(night, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"), 9 * 60);
});

test("twelve screens in three groups", () => {
	const labels = ["Foyer", "foyer 2", "FOYER, links", "Foyer-Bar", "Saal 1", "Saal 2", "Saal 12", "Saal",
		"Küche", "Küche hinten", "küche\u00a0vorne", "Ku\u0308che 4"];
	const shown = (...screens: string[]) =>
		labels.flatMap((label, at) => (isForScreen(only({ screens }), label) ? [at] : []));
	assert.deepEqual(shown("foyer"), [0, 1, 2, 3]);
	assert.deepEqual(shown("Saal"), [4, 5, 6, 7]);
	assert.deepEqual(shown("Saal 1"), [4]);
	assert.deepEqual(shown("Küche"), [8, 9, 10, 11]);
	assert.deepEqual(shown("Foyer", "Küche"), [0, 1, 2, 3, 8, 9, 10, 11]);
	assert.equal(shown().length, 12);
	assert.deepEqual(shown("Foy"), []);
	assert.equal(isForScreen(only({ screens: ["foyer"] }), undefined), true); // a page of the Dashboard
});
