import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerClock } from "../host/clock";
import { backoff, wait } from "../host/wait";

test("pauses grow to their bound, and spread over its upper half", () => {
	assert.deepEqual(
		[0, 1, 2, 3, 4, 5, 500].map((n) => backoff(n, 2_000, 30_000, () => 1)),
		[2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
	);
	assert.deepEqual(
		[0, 5].map((n) => backoff(n, 2_000, 30_000, () => 0)),
		[1_000, 15_000],
	);
});

test("a wait ends early when it is told to", async () => {
	const stop = new AbortController();
	const target = new EventTarget();
	const start = performance.now();
	const woken = wait(60_000, stop.signal, [target, "online"]);
	target.dispatchEvent(new Event("online"));
	await woken;
	const stopped = wait(60_000, stop.signal);
	stop.abort();
	await stopped;
	await wait(60_000, stop.signal);
	assert.equal(performance.now() - start < 10_000, true);
});

test("the server's time, by its youngest word", () => {
	const clock = new ServerClock();
	const near = (expected: number) =>
		assert.equal(Math.abs(clock.now() - expected) < 200, true, `${clock.now()} is not about ${expected}`);
	near(Date.now());
	assert.equal(clock.known, false);
	const hour = 3_600_000;
	clock.observe(new Date(Date.now() - hour).toISOString());
	near(Date.now() - hour);
	clock.observe(new Date(Date.now() - hour - 2_000).toISOString()); // two seconds on the way
	near(Date.now() - hour);
	clock.observe(new Date(Date.now() - hour + 1_000).toISOString()); // faster than all messages before
	near(Date.now() - hour + 1_000);
	clock.observe(new Date(Date.now() - 2 * hour).toISOString()); // the server's clock was changed
	near(Date.now() - 2 * hour);
	clock.observe("yesterday");
	near(Date.now() - 2 * hour);
});
