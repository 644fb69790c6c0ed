import { instantOf, localTime } from "@narthex/kit";

/** The payload of the slide. */
export interface Countdown {
	/** The event to which the slide counts down. */
	readonly label: string;
	/** Its time, as RFC 3339. */
	readonly target: string;
	/** What is shown after that: 00:00, or no slide at all. */
	readonly after: "zero" | "hide";
}

export const maxLabel = 120;

const [second, day] = [1000, 86_400_000];

/** A countdown to the next Sunday, 10:00 on the house's clock. */
export function defaults(label: string, now: Date): Countdown {
	const day = new Date(`${localTime(now).slice(0, 10)}T00:00Z`);
	day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
	const sunday = () => instantOf(`${day.toISOString().slice(0, 10)}T10:00`);
	if (Date.parse(sunday()) <= now.getTime()) day.setUTCDate(day.getUTCDate() + 7);
	return { label, target: sunday(), after: "zero" };
}

/** Reads a payload. It throws an error if the payload is not a countdown; the board then omits the slide. */
export function read(payload: unknown): Countdown {
	const { label, target, after } = (payload ?? {}) as Partial<Record<keyof Countdown, unknown>>;
	if (typeof label !== "string" || typeof target !== "string" || Number.isNaN(Date.parse(target)))
		throw new TypeError("This is not the payload of a countdown.");
	return { label, target, after: after === "hide" ? "hide" : "zero" };
}

/** Whether there is nothing to show any more. */
export const isOver = ({ target, after }: Countdown, now: number): boolean =>
	after === "hide" && Date.parse(target) <= now;

/**
 * The remaining time: whole days, and a time as 4:05:06, or 05:06 below an hour. The last second is 00:01.
 */
export function left(target: string, now: number): { readonly days: number; readonly time: string } {
	const whole = Math.max(0, Math.ceil((Date.parse(target) - now) / second)) * second;
	const days = Math.floor(whole / day);
	const clock = new Date(whole % day).toISOString().slice(11, 19);
	const [hours = "", minutes = "", seconds = ""] = clock.split(":");
	const long = days > 0 || hours !== "00";
	return { days, time: `${long ? `${Number(hours)}:` : ""}${minutes}:${seconds}` };
}
