import assert from "node:assert/strict";
import { test } from "node:test";
import { clockOf, isUrgent, secondsLeft } from "../../modules/stage/display-src/shown";
import type { Press, Result, StageApi } from "../../modules/stage/ui-src/api";
import { Driver } from "../../modules/stage/ui-src/driving";
import type { Control, ControlUpdate } from "../../modules/stage/ui-src/plan";
import type { Tools } from "../../modules/stage/ui-src/tools";

const itemSince = "2026-11-27T10:00:00.000Z";
const live = (rev: number, section = 0) => ({
	...{ serviceId: "s", itemId: "i", section, itemSince, screen: "live", message: "", rev } as const,
});
const control: Control = {
	plan: { id: "s", title: "", startsAt: itemSince, items: [], rev: 1 } as unknown as Control["plan"],
	live: live(5),
	driver: "anna",
	timer: null,
};
const update = (rev: number, section: number, ack: string | null = null): ControlUpdate => ({
	...{ live: live(rev, section), driver: "anna", timer: null, ack, planChanged: false },
});

/** A driver whose channel and responses the test controls. */
function driven(answer: (rev: number, press: Press) => Promise<Result<ControlUpdate>>) {
	let told: (update: ControlUpdate) => void = () => undefined;
	const api = {
		live: async () => ({ ok: true, value: { ...control, you: "anna" } }),
		press: (_service: string, _opId: string, rev: number, press: Press) => answer(rev, press),
	} as unknown as StageApi;
	const context = {
		signal: new AbortController().signal,
		realtime: (_channel: string, reader: { snapshot(at: Control): void; update(to: ControlUpdate): void }) => {
			told = reader.update;
			reader.snapshot(control);
			return () => undefined;
		},
	};
	const driver = new Driver({ api, context } as unknown as Tools, "s", () => undefined);
	driver.start();
	return { driver, tell: (to: ControlUpdate) => told(to) };
}

test("an older state after a newer one is not shown", () => {
	const { driver, tell } = driven(async () => ({ ok: true, value: update(6, 1) }));
	tell(update(7, 2));
	tell(update(6, 1));
	assert.equal(driver.state.control?.live.section, 2);
	tell(update(7, 3)); // of the same rev: only the timer or the driver may be another
	assert.equal(driver.state.control?.live.section, 3);
});

test("a press waits for the one before it, and continues from there", async () => {
	const sent: number[] = [];
	const { driver } = driven(async (rev) => {
		sent.push(rev);
		return { ok: true, value: update(rev + 1, rev) };
	});
	await Promise.all([driver.press({ action: "next" }), driver.press({ action: "next" })]);
	assert.deepEqual(sent, [5, 6]);
	assert.equal(driver.state.pending, undefined);
});

test("a press after one that was refused is not sent", async () => {
	const sent: number[] = [];
	const { driver } = driven(async (rev) => {
		sent.push(rev);
		return { ok: false, why: "conflict" } as Result<ControlUpdate>;
	});
	const refusals = await Promise.all([driver.press({ action: "next" }), driver.press({ action: "next" })]);
	assert.deepEqual(refusals, ["conflict", "notSent"]);
	assert.deepEqual(sent, [5]);
});

test("the timer counts to zero and beyond, and is urgent in the last minute", () => {
	for (const [endsAt, words, urgent] of [
		["2026-11-27T11:02:00.000Z", "1:02:00", false],
		["2026-11-27T11:00:00.000Z", "1:00:00", false],
		["2026-11-27T10:59:59.000Z", "59:59", false],
		["2026-11-27T10:01:00.000Z", "1:00", false],
		["2026-11-27T10:00:59.001Z", "1:00", false], // begun seconds count
		["2026-11-27T10:00:59.000Z", "0:59", true],
		["2026-11-27T10:00:00.000Z", "0:00", true],
		["2026-11-27T09:59:48.000Z", "+0:12", true],
	] as const) {
		const left = secondsLeft({ endsAt, mode: "item" }, Date.parse(itemSince));
		assert.deepEqual([clockOf(left), isUrgent(left)], [words, urgent], endsAt);
	}
});
