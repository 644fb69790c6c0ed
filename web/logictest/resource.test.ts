import assert from "node:assert/strict";
import { test } from "node:test";
import { Data } from "../dashboard/data/data";
import type { Platform } from "../dashboard/data/platform";
import type { Result, Failure } from "../dashboard/data/request";
import { Resource } from "../dashboard/data/resource";

const refused: Failure = { ok: false, status: 503, code: "STORE_UNAVAILABLE" };

test("what was read stays when the next reading fails, and the policy hears of every failure", async () => {
	let next: Result<number> = { ok: true, value: 1 };
	const heard: number[] = [];
	const resource = new Resource<number>(
		() => Promise.resolve(next),
		({ status }) => void heard.push(status),
	);
	assert.equal(resource.used, false);
	await resource.load();
	assert.equal(resource.value.value, 1);
	next = refused;
	await resource.load();
	assert.equal(resource.value.value, 1);
	assert.equal(resource.failed.value?.failure.code, "STORE_UNAVAILABLE");
	next = { ok: true, value: 2 };
	await resource.load();
	assert.equal(resource.value.value, 2);
	assert.equal(resource.failed.value, undefined);
	assert.deepEqual(heard, [503]);
});

test("callers share one request, and what comes after it was cleared is not shown", async () => {
	const answers: ((answer: Result<number>) => void)[] = [];
	const resource = new Resource<number>(
		() => new Promise((resolve) => answers.push(resolve)),
		() => undefined,
	);
	const [first, second] = [resource.load(), resource.load()];
	assert.equal(answers.length, 1);
	resource.clear();
	const third = resource.load();
	assert.equal(answers.length, 2);
	answers[0]?.({ ok: true, value: 1 });
	await Promise.all([first, second]);
	assert.equal(resource.value.value, undefined);
	answers[1]?.({ ok: true, value: 2 });
	await third;
	assert.equal(resource.value.value, 2);
});

test("what was refused is read again once if the policy says so", async () => {
	const answers: Result<number>[] = [{ ...refused, status: 401 }, { ok: true, value: 1 }, refused, refused];
	const heard: number[] = [];
	const resource = new Resource<number>(
		() => Promise.resolve(answers.shift() ?? refused),
		({ status }) => heard.push(status) > 0,
	);
	await resource.load();
	assert.equal(resource.value.value, 1);
	assert.equal(resource.failed.value, undefined);
	await resource.load();
	assert.equal(resource.failed.value?.failure.status, 503);
	assert.deepEqual([heard, answers.length], [[401, 503], 0]);
});

test("a write reads again what it has changed", async () => {
	let read = 0;
	const platform = {
		lifecycle: () => {
			read++;
			return Promise.resolve({ ok: true, value: { modules: [] } });
		},
	} as unknown as Platform;
	const data = new Data(platform, () => undefined);
	const answer = await data.write(
		Promise.resolve<Result<string>>({ ok: true, value: "done" }),
		data.lifecycle,
	);
	assert.deepEqual(answer, { ok: true, value: "done" });
	assert.equal(read, 1);
	assert.deepEqual(data.lifecycle.value.value, { modules: [], changes: [] });
});
