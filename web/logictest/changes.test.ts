import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../dashboard/data/changes";

const module = (
	id: string,
	state: string,
	enabled: boolean,
	restartRequired: boolean,
	needs: string[] = [],
	wants: string[] = [],
) => ({
	id,
	name: id.toUpperCase(),
	configured: { enabled },
	runtime: { state },
	restartRequired,
	dependencies: [
		...needs.map((moduleId) => ({ moduleId, required: true })),
		...wants.map((moduleId) => ({ moduleId, required: false })),
		{ moduleId: null, required: false },
	],
});

test("what the next restart changes", () => {
	const modules = [
		module("as-is", "running", true, false),
		module("off", "running", false, true),
		module("needs-off", "running", true, true, ["off"]),
		module("needs-that", "running", true, true, ["needs-off"]),
		module("wants-off", "running", true, true, [], ["off"]),
		module("on", "disabled", true, true),
		module("freed", "blocked", true, true, ["on"]),
		module("still-blocked", "blocked", true, false),
	];
	assert.deepEqual(
		changesOf({ modules }).map(({ module, what }) => `${module} ${what}`),
		["OFF stops", "NEEDS-OFF stops", "NEEDS-THAT stops", "WANTS-OFF settings", "ON starts", "FREED starts"],
	);
});
