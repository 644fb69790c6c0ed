import assert from "node:assert/strict";
import { test } from "node:test";
import type { NavigationView } from "../dashboard/data/platform";
import {
	groupAdded, groupDeleted, groupRenamed, groupStepped, isAfter, placed, stepped,
} from "../dashboard/screens/navigation/plans";

type Entry = NavigationView["ungrouped"][number];

const entry = (moduleId: string, order: number | null): Entry =>
	({ moduleId, name: moduleId.toUpperCase(), order, ui: {} }) as Entry;

const view: NavigationView = {
	groups: [
		{ id: "foyer", label: "Foyer", order: 1024, modules: [entry("board", 1024), entry("clock", 2048)] },
		{ id: "stage", label: "Stage", order: 2048, modules: [] },
	],
	ungrouped: [entry("rota", null)],
	permissions: [],
};

test("a module comes before another one, or at the end", () => {
	const plan = placed(view, "rota", "foyer", "clock");
	assert.deepEqual(plan?.steps, [{ put: "place", id: "rota", groupId: "foyer", order: 1536 }]);
	assert.deepEqual(plan?.back, [{ delete: "place", id: "rota" }]);
	assert.deepEqual([plan?.position, plan?.count], [2, 3]);
	assert.deepEqual(placed(view, "rota", "foyer", "gone")?.position, 3);
	assert.deepEqual(placed(view, "rota", "foyer", undefined)?.position, 3);
	assert.equal(placed(view, "rota", "no-such-group", undefined), undefined);
});

test("a step is taken from where the module stands now", () => {
	assert.equal(stepped(view, "clock", -1)?.position, 1);
	assert.equal(stepped(view, "board", 1)?.position, 2);
	assert.equal(stepped(view, "board", -1), undefined);
	assert.equal(stepped(view, "rota", 1), undefined);
});

test("a group that moves keeps the name it has now", () => {
	const plan = groupStepped(view, "stage", -1);
	assert.deepEqual(plan?.steps, [{ put: "group", id: "stage", label: "Stage", order: 511 }]);
	assert.deepEqual(plan?.back, [{ put: "group", id: "stage", label: "Stage", order: 2048 }]);
	assert.equal(groupStepped(view, "stage", 1), undefined);
});

test("a group that is gone is not named back into being", () => {
	assert.equal(groupRenamed(view, "gone", "Again"), undefined);
	assert.deepEqual(groupRenamed(view, "foyer", "Entrance")?.back, [
		{ put: "group", id: "foyer", label: "Foyer", order: 1024 },
	]);
	assert.deepEqual(groupAdded(view, "new", "New").steps, [
		{ put: "group", id: "new", label: "New", order: 3072 },
	]);
});

test("a deletion can be undone as long as nobody has touched what was in the group", () => {
	const plan = groupDeleted(view, "foyer");
	assert.equal(plan?.back.length, 3);
	const [foyer, stage] = view.groups;
	const modules = foyer?.modules ?? [];
	const groups = stage ? [stage] : [];
	const after = { ...view, groups, ungrouped: [...view.ungrouped, ...modules] };
	assert.equal(isAfter(after, plan?.after ?? []), true);
	assert.equal(isAfter(view, plan?.after ?? []), false);
	const elsewhere = { ...after, ungrouped: [...view.ungrouped, ...modules.slice(1), entry("board", 9)] };
	assert.equal(isAfter(elsewhere, plan?.after ?? []), false);
});
