/** A chord above the letter of a line at which it begins: the number of letters before. */
export interface PlacedChord {
	readonly at: number;
	readonly chord: string;
}

/** The words that a screen shows at once. */
export interface Step {
	readonly label: string;
	readonly lines: readonly string[];
	/** The chords of each line; nothing if there are none. */
	readonly chords?: readonly (readonly PlacedChord[])[];
}

/** The end of a time, and what it counts. */
export interface Timer {
	readonly endsAt: string;
	readonly mode: "item" | "end_on_time" | "end_service";
}

export type ScreenMode = "live" | "black" | "logo" | "countdown";

/**
 * The seconds that a countdown still has; undefined if there is none, or if it is over: then a screen shows
 * what is live.
 */
export function countdownOf(
	{ screen, startsAt }: { readonly screen: ScreenMode; readonly startsAt: string | null },
	now: number,
): number | undefined {
	if (screen !== "countdown" || startsAt === null) return undefined;
	const seconds = Math.ceil((Date.parse(startsAt) - now) / 1000);
	return seconds > 0 ? seconds : undefined;
}

/** Everything that a screen shows. Each snapshot and each update contains all of it. */
export interface Shown {
	readonly serverTime: string;
	readonly rev: number;
	readonly now: Step | null;
	readonly next: { readonly label: string; readonly line: string } | null;
	readonly timer: Timer | null;
	readonly screen: ScreenMode;
	/** The start of the service, to which a countdown counts. */
	readonly startsAt: string | null;
	/** Where musicians have their capo; 0: nowhere. */
	readonly capo: number;
	readonly message: string;
	readonly title: string;
	readonly settings: { readonly fontScale: number; readonly showNext: boolean };
}

/** The seconds until a moment; negative when it has passed. */
export const secondsLeft = (timer: Timer, now: number): number =>
	Math.ceil((Date.parse(timer.endsAt) - now) / 1000);

/** "4:05" remain, "+0:12" is over, "1:02:00" with hours. */
export function clockOf(seconds: number): string {
	const all = Math.abs(seconds);
	const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
	const two = (part: number) => String(part).padStart(2, "0");
	const words = hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
	return seconds < 0 ? `+${words}` : words;
}

/** The timer is highlighted in the last minute and when the time is over. */
export const isUrgent = (seconds: number): boolean => seconds < 60;
