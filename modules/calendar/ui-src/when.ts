import type { Forms } from "./days";
import type { Occurrence } from "./event";

/** The time of an event, in words. */
export function whenOf(forms: Forms, one: Pick<Occurrence, "start" | "end" | "allDay">): string {
	const { start, end, allDay } = one;
	const [first, last] = [start.slice(0, 10), end.slice(0, 10)];
	if (allDay) return first === last ? forms.longDay(first) : `${forms.day(first)} – ${forms.longDay(last)}`;
	if (first === last) {
		return `${forms.longDay(first)}, ${forms.times(start, end)}`;
	}
	return `${forms.day(first)}, ${forms.time(start)} – ${forms.day(last)}, ${forms.time(end)}`;
}
