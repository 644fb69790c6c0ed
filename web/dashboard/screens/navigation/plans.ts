import type { Step } from "../../data/arranging";
import type { NavigationView } from "../../data/platform";
import { columnsOf, gap, last, placesOf, reordered } from "./arrangement";

/**
 * What an action writes, computed from the server's state at that moment, because another administrator may
 * have changed what the person saw.
 */
export interface Plan {
	readonly steps: readonly Step[];
	/** The steps that undo it. */
	readonly back: readonly Step[];
	/** The resulting state, as steps. As long as it is the current state, the plan can be undone. */
	readonly after: readonly Step[];
	/** The new position of the row or group, and the number of positions. */
	readonly position: number;
	readonly count: number;
}

/** The group of a module: null for no group, undefined if the module is missing. */
export const groupOf = (now: NavigationView, moduleId: string): string | null | undefined =>
	placesOf(now).get(moduleId)?.groupId;

export const labelOf = (now: NavigationView, groupId: string): string | undefined =>
	now.groups.find(({ id }) => id === groupId)?.label;

/** Moves a module into a group, before another one or to the end. undefined: the group was deleted. */
export function placed(
	now: NavigationView,
	moduleId: string,
	groupId: string | null,
	before: string | undefined,
): Plan | undefined {
	const ids = idsOf(now, groupId)?.filter((id) => id !== moduleId);
	if (ids === undefined) return undefined;
	const at = before === undefined ? -1 : ids.indexOf(before);
	ids.splice(at < 0 ? ids.length : at, 0, moduleId);
	const places = placesOf(now);
	const orderOf = (id: string) => (id === moduleId ? null : (places.get(id)?.order ?? null));
	const steps = reordered(ids, moduleId, orderOf).map(
		({ id, order }): Step => ({ put: "place", id, groupId, order }),
	);
	const back = steps.map(({ id }): Step => {
		const { groupId: group = null, order = null } = places.get(id) ?? {};
		return order === null ? { delete: "place", id } : { put: "place", id, groupId: group, order };
	});
	return { steps, back, after: steps, position: ids.indexOf(moduleId) + 1, count: ids.length };
}

/** Moves a module by one position within its group. undefined: it is already at that end. */
export function stepped(now: NavigationView, moduleId: string, by: -1 | 1): Plan | undefined {
	const groupId = groupOf(now, moduleId) ?? null;
	const ids = idsOf(now, groupId) ?? [];
	const to = ids.indexOf(moduleId) + by;
	if (to < 0 || to >= ids.length) return undefined;
	return placed(now, moduleId, groupId, by < 0 ? ids[to] : ids[to + 1]);
}

/** Moves a group by one position, without changing labels. undefined: it is already at that end. */
export function groupStepped(now: NavigationView, groupId: string, by: -1 | 1): Plan | undefined {
	const ids = now.groups.map(({ id }) => id);
	const to = ids.indexOf(groupId) + by;
	if (to < 0 || to >= ids.length) return undefined;
	ids.splice(ids.indexOf(groupId), 1);
	ids.splice(to, 0, groupId);
	const byId = new Map(now.groups.map((group) => [group.id, group]));
	const put = (id: string, order: number): Step => ({
		put: "group",
		id,
		label: byId.get(id)?.label ?? "",
		order,
	});
	const orderOf = (id: string) => byId.get(id)?.order ?? 0;
	const orders = reordered(ids, groupId, (id) => (id === groupId ? null : orderOf(id)));
	const steps = orders.map(({ id, order }) => put(id, order));
	const back = orders.map(({ id }) => put(id, orderOf(id)));
	return { steps, back, after: steps, position: to + 1, count: ids.length };
}

export function groupAdded(now: NavigationView, id: string, label: string): Plan {
	const order = Math.min((now.groups.at(-1)?.order ?? 0) + gap, last);
	const steps: Step[] = [{ put: "group", id, label, order }];
	const count = now.groups.length + 1;
	return { steps, back: [{ delete: "group", id }], after: steps, position: count, count };
}

/** undefined: the group was deleted, and renaming it would create it again. */
export function groupRenamed(now: NavigationView, id: string, label: string): Plan | undefined {
	const at = now.groups.findIndex((group) => group.id === id);
	const group = now.groups[at];
	if (group === undefined) return undefined;
	const put = (name: string): Step => ({ put: "group", id, label: name, order: group.order });
	const steps = [put(label)];
	return { steps, back: [put(group.label)], after: steps, position: at + 1, count: now.groups.length };
}

/** Its modules stay in their order, without a group. undefined: it was deleted already. */
export function groupDeleted(now: NavigationView, id: string): Plan | undefined {
	const group = now.groups.find((one) => one.id === id);
	if (group === undefined) return undefined;
	const { label, order, modules } = group;
	const places = (groupId: string | null) =>
		modules.map((one): Step => ({ put: "place", id: one.moduleId, groupId, order: one.order ?? 0 }));
	const steps: Step[] = [{ delete: "group", id }];
	return {
		steps,
		back: [{ put: "group", id, label, order }, ...places(id)],
		after: [...steps, ...places(null)],
		position: 0,
		count: now.groups.length - 1,
	};
}

/** Whether the current state is the result of these steps. */
export function isAfter(now: NavigationView, steps: readonly Step[]): boolean {
	const places = placesOf(now);
	return steps.every((step) => {
		const group = now.groups.find(({ id }) => id === step.id);
		const place = places.get(step.id);
		if ("delete" in step) return step.delete === "group" ? group === undefined : place?.order == null;
		if (step.put === "group") return group?.label === step.label && group.order === step.order;
		return place?.groupId === step.groupId && place.order === step.order;
	});
}

function idsOf(now: NavigationView, groupId: string | null): string[] | undefined {
	return columnsOf(now, "")
		.find(({ id }) => id === groupId)
		?.modules.map(({ moduleId }) => moduleId);
}
