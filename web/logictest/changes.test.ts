import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../dashboard/data/changes";

const module = (id: string, restartRequired: boolean, next?: string) => ({
	id,
	name: id.toUpperCase(),
	restartRequired,
	next:
		next === undefined
			? null
			: {
					state: next,
					reason: undefined,
					dependency: undefined,
					configurationKey: undefined,
					storageBucketId: undefined,
				},
});

test("what the next restart changes", () => {
	const changes = changesOf([
		module("as-is", false),
		module("off", true, "disabled"),
		module("emptied", true, "blocked"),
		module("other-settings", true),
		module("on", true, "running"),
		module("still-blocked", false, "blocked"),
	]);
	assert.deepEqual(
		changes.map(({ module, what }) => `${module} ${what}`),
		["OFF stops", "EMPTIED stops", "OTHER-SETTINGS settings", "ON starts"],
	);
});
