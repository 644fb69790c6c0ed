import assert from "node:assert/strict";
import { test } from "node:test";
import { defaults, isOver, left, read } from "../../modules/countdown/contributions-src/slide/countdown";

const target = "2026-11-29T10:00:00.000Z";
const before = (ms: number) => left(target, Date.parse(target) - ms);

test("what is left of a countdown", () => {
	assert.deepEqual(before(598_000), { days: 0, time: "09:58" });
	assert.deepEqual(before(3_600_000), { days: 0, time: "1:00:00" });
	assert.deepEqual(before(2 * 86_400_000 + 61_000), { days: 2, time: "0:01:01" });
	assert.equal(before(1).time, "00:01"); // zero is shown at zero, and not before
	assert.equal(before(1_000).time, "00:01");
	assert.equal(before(1_001).time, "00:02");
	assert.equal(before(0).time, "00:00");
	assert.equal(before(-5_000).time, "00:00");
});

test("a new countdown is to the next Sunday morning", () => {
	const sunday = new Date(2026, 10, 22, 9, 59);
	assert.equal(new Date(defaults("", sunday).target).getTime(), new Date(2026, 10, 22, 10).getTime());
	sunday.setMinutes(60);
	assert.equal(new Date(defaults("", sunday).target).getTime(), new Date(2026, 10, 29, 10).getTime());
	assert.equal(new Date(defaults("", new Date(2026, 10, 28)).target).getDate(), 29);
});

test("a payload that is none is refused, and one that hides is over at its time", () => {
	for (const payload of [null, {}, { label: "", target: "soon" }, { label: 1, target }])
		assert.throws(() => read(payload), TypeError);
	const at = Date.parse(target);
	assert.equal(isOver(read({ label: "", target, after: "hide" }), at), true);
	assert.equal(isOver(read({ label: "", target, after: "hide" }), at - 1), false);
	assert.equal(isOver(read({ label: "", target, after: "zero" }), at), false);
});
