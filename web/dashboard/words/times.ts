/** Times as the screens of the administration write them. */
import { formatted, locale } from "./words";

/** A day and a time. */
export const moment = formatted({ dateStyle: "medium", timeStyle: "short" });

/** A day. */
export const day = formatted({ dateStyle: "medium" });

/** A day in words. */
export const fullDay = formatted({ dateStyle: "full" });

/** A time of day, to the minute. */
export const hourTime = formatted({ hour: "numeric", minute: "2-digit" });

const units = [
	["day", 86_400],
	["hour", 3_600],
	["minute", 60],
	["second", 1],
] as const;

/** The time elapsed since a time from the server, in the largest unit that fits. now is the server's. */
export function elapsed(
	at: string,
	now: number,
): { readonly count: number; readonly unit: (typeof units)[number][0] } {
	const seconds = Math.max(0, (now - Date.parse(at)) / 1_000);
	const [unit, size] = units.find(([, least]) => seconds >= least) ?? ["second", 1];
	return { count: Math.floor(seconds / size), unit };
}

/** How long ago a time from the server was: "3 days ago". */
export function ago(at: string, now: number): string {
	const { count, unit } = elapsed(at, now);
	return new Intl.RelativeTimeFormat(locale.value.tag, { numeric: "auto" }).format(-count, unit);
}
