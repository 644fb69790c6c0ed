import assert from "node:assert/strict";
import { test } from "node:test";
import { nextSunday } from "../../modules/stage/ui-src/plan";
import { kitHouse } from "../kit/house";

test("a new service is proposed for the next Sunday without one, at the time of the last", () => {
	kitHouse.value = { name: null, language: "en", timeZone: "Pacific/Apia" };
	const saturday = Date.parse("2026-11-27T12:00Z"); // Saturday the 28th in Apia
	const at = (...starts: readonly string[]) => starts.map((startsAt) => ({ startsAt }));
	assert.equal(nextSunday(saturday, []), "2026-11-29T10:00");
	assert.equal(nextSunday(saturday, at("2026-12-02T18:00:00.000Z")), "2026-11-29T10:00", "a Thursday");
	const first = "2026-11-28T20:30:00.000Z"; // Sunday the 29th at 9:30 in Apia
	assert.equal(nextSunday(saturday, at(first)), "2026-12-06T09:30");
	const third = "2026-12-12T22:00:00.000Z"; // Sunday the 13th at 11:00 in Apia
	assert.equal(nextSunday(saturday, at(first, third)), "2026-12-06T11:00");
	assert.equal(nextSunday(saturday, at(first, "2026-12-05T20:30:00.000Z", third)), "2026-12-20T11:00");
	const sunday = Date.parse("2026-11-28T12:00Z"); // already Sunday there
	assert.equal(nextSunday(sunday, []), "2026-12-06T10:00");
});
