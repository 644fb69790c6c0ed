import { dayOf } from "./days";
import type { Occurrence, Room } from "./event";
import type { View } from "./pages";
import type { Tools } from "./tools";

/** The properties of every view. */
export interface ViewProps {
	readonly tools: Tools;
	readonly occurrences: readonly Occurrence[];
	readonly rooms: readonly Room[];
	/** The chosen day, and today. */
	readonly day: string;
	readonly today: string;
	/** The first day of a week: 0 is Monday. */
	readonly begins: number;
	open(one: Occurrence): void;
	/** Opens a view on a day, by its address. */
	go(view: View, day: string): void;
	/** Moves to a day. The focus stays, and the address follows. */
	stay(view: View, day: string): void;
}

/**
 * The events of each day, in order. An event across midnight is on both days, one that ends at midnight is
 * not.
 */
export function byDay(
	occurrences: readonly Occurrence[],
	days: readonly string[],
): ReadonlyMap<string, Occurrence[]> {
	const all = new Map<string, Occurrence[]>(days.map((day) => [day, []]));
	for (const one of occurrences) {
		const first = dayOf(one.start);
		const last = dayOf(one.end);
		const midnight = one.end.endsWith("T00:00") && last > first;
		for (const [day, there] of all) {
			if (day >= first && (day < last || (day === last && !midnight))) there.push(one);
		}
	}
	return all;
}
