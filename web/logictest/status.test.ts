import assert from "node:assert/strict";
import { test } from "node:test";
import { dependents, inOrder } from "../dashboard/screens/modules/status";

const module = (id: string, state: string, on?: string, needs: string[] = []) => ({
	id,
	name: id,
	configuration: undefined,
	version: "1.0.0",
	configured: { enabled: true },
	runtime: {
		state,
		reason: undefined,
		dependency: on === undefined ? undefined : { moduleId: on },
		configurationKey: undefined,
		storageBucketId: undefined,
	},
	next: null,
	solved: undefined,
	restartRequired: false,
	dependencies: needs.map((moduleId) => ({ id: moduleId, kind: "module", moduleId, required: true })),
});

test("causes come before what waits for them", () => {
	const modules = [
		module("a-waits-twice", "blocked", "b-waits"),
		module("b-waits", "blocked", "z-cause"),
		module("c-off", "disabled"),
		module("d-runs", "running"),
		module("e-needs-off", "blocked", "c-off"),
		module("z-cause", "blocked"),
	];
	assert.deepEqual(
		inOrder({ modules }).map(({ id }) => id),
		["e-needs-off", "z-cause", "b-waits", "a-waits-twice", "d-runs", "c-off"],
	);
});

test("who needs a module, by required dependencies alone", () => {
	const wants = module("wants", "running", undefined, ["stage"]);
	for (const dependency of wants.dependencies) dependency.required = false;
	const modules = [module("stage", "running"), module("rota", "running", undefined, ["stage"]), wants];
	assert.deepEqual([...dependents({ modules })], [["stage", ["rota"]]]);
});
