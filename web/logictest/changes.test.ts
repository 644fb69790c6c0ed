import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../dashboard/data/changes";

const module = (id: string, restartRequired: boolean) => ({ id, name: id.toUpperCase(), restartRequired });
const runtime = (state: string, reason?: string) => ({
	state,
	reason,
	dependency: undefined,
	configurationKey: undefined,
	storageBucketId: undefined,
});
const differs = (moduleId: string, now: string, then: string, reason?: string) => ({
	moduleId,
	name: moduleId.toUpperCase(),
	now: runtime(now),
	then: runtime(then, reason),
});

test("what the next restart changes", () => {
	const modules = [
		module("as-is", false),
		module("off", true),
		module("emptied", true),
		module("other-settings", true),
		module("on", true),
		module("still-blocked", false),
	];
	const preview = {
		modules: [
			differs("off", "running", "disabled"),
			differs("emptied", "running", "blocked", "configuration_missing"),
			differs("on", "disabled", "running"),
			differs("still-blocked", "blocked", "blocked", "secret_missing"),
		],
	};
	const changes = changesOf(modules, preview);
	assert.deepEqual(
		changes.map(({ module, what }) => `${module} ${what}`),
		["OFF stops", "EMPTIED stops", "OTHER-SETTINGS settings", "ON starts"],
	);
	assert.equal(changes[1]?.then?.reason, "configuration_missing");
});
