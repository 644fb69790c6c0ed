import type { Step } from "../../data/arranging";
import type { NavigationView } from "../../data/platform";
import { columnsOf, gap, last, placesOf, reordered } from "./arrangement";

/**
 * What a press writes, worked out from what the server has at that moment: another administrator may have
 * changed what the person saw.
 */
export interface Plan {
	readonly steps: readonly Step[];
	/** What undoes it. */
	readonly back: readonly Step[];
	/** What there is afterwards, as if each had been written. While it is, the plan can be undone. */
	readonly after: readonly Step[];
	/** Where the thing stands then, and among how many. */
	readonly position: number;
	readonly count: number;
}

/** The group of a module: null for none, undefined when the module is not there. */
export const groupOf = (now: NavigationView, moduleId: string): string | null | undefined =>
	placesOf(now).get(moduleId)?.groupId;

export const labelOf = (now: NavigationView, groupId: string): string | undefined =>
	now.groups.find(({ id }) => id === groupId)?.label;

/** Puts a module into a group, before another one or at the end. undefined: the group is gone. */
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

/** Moves a module by one within its group. undefined: it stands at that end. */
export function stepped(now: NavigationView, moduleId: string, by: -1 | 1): Plan | undefined {
	const groupId = groupOf(now, moduleId) ?? null;
	const ids = idsOf(now, groupId) ?? [];
	const to = ids.indexOf(moduleId) + by;
	if (to < 0 || to >= ids.length) return undefined;
	return placed(now, moduleId, groupId, by < 0 ? ids[to] : ids[to + 1]);
}

/** Moves a group by one. Their labels are those of now. undefined: it stands at that end. */
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

/** undefined: the group is gone, and naming it would bring it back. */
export function groupRenamed(now: NavigationView, id: string, label: string): Plan | undefined {
	const at = now.groups.findIndex((group) => group.id === id);
	const group = now.groups[at];
	if (group === undefined) return undefined;
	const put = (name: string): Step => ({ put: "group", id, label: name, order: group.order });
	const steps = [put(label)];
	return { steps, back: [put(group.label)], after: steps, position: at + 1, count: now.groups.length };
}

/** Its modules stay, without a group and in their order. undefined: it is gone already. */
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

/** Whether everything is as if these steps had just been taken. */
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
