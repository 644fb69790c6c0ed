import type { NavigationView } from "../../data/platform";

/** One module's placement, as the server stores it. Without an order it was never placed. */
export interface Place {
	readonly moduleId: string;
	readonly groupId: string | null;
	readonly order: number | null;
}

export interface Column {
	/** null for the modules without a group. */
	readonly id: string | null;
	readonly label: string;
	readonly order: number;
	readonly modules: readonly { readonly moduleId: string; readonly name: string; readonly icon: string }[];
}

/** The distance between two order values, so that a move usually writes only one row. */
export const gap = 1024;
export const last = 1_000_000;

/** The groups in their order, followed by the modules without a group. */
export function columnsOf({ groups, ungrouped }: NavigationView, none: string): Column[] {
	const shown = (entries: NavigationView["ungrouped"]) =>
		entries
			.filter(({ moduleId }) => moduleId !== "home")
			.map(({ moduleId, name, ui }) => ({ moduleId, name, icon: ui.icon ?? "door" }));
	return [
		...groups.map(({ id, label, order, modules }) => ({ id, label, order, modules: shown(modules) })),
		{ id: null, label: none, order: last, modules: shown(ungrouped) },
	];
}

export function placesOf({ groups, ungrouped }: NavigationView): Map<string, Place> {
	const places = groups.flatMap(({ id, modules }) =>
		modules.map(({ moduleId, order }) => ({ moduleId, groupId: id as string | null, order })),
	);
	for (const { moduleId, order } of ungrouped) places.push({ moduleId, groupId: null, order });
	return new Map(places.map((place) => [place.moduleId, place]));
}

/**
 * The order values to write so that the ids are in this order: only one if there is a gap between its
 * neighbours, otherwise also those that have to move.
 */
export function reordered(
	ids: readonly string[],
	moved: string,
	orderOf: (id: string) => number | null,
): { readonly id: string; readonly order: number }[] {
	const at = ids.indexOf(moved);
	const before = at === 0 ? -1 : orderOf(ids[at - 1] ?? "");
	const next = ids[at + 1];
	const after = next === undefined ? undefined : orderOf(next);
	if (before !== null && (next === undefined || after !== undefined)) {
		const high = after ?? Math.min(before + 2 * gap, last + 1);
		const middle = Math.floor((before + high) / 2);
		if (middle > before && middle < high && middle >= 0) return [{ id: moved, order: middle }];
	}
	const step = Math.max(1, Math.min(gap, Math.floor(last / (ids.length + 1))));
	return ids
		.map((id, place) => ({ id, order: (place + 1) * step }))
		.filter(({ id, order }) => id === moved || orderOf(id) !== order);
}
