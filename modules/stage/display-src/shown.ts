/** The words that a screen shows at once. */
export interface Step {
	readonly label: string;
	readonly lines: readonly string[];
}

/** The end of a time, and what it counts. */
export interface Timer {
	readonly endsAt: string;
	readonly mode: "item" | "end_on_time" | "end_service";
}

/** Everything that a screen shows. Each snapshot and each update contains all of it. */
export interface Shown {
	readonly serverTime: string;
	readonly rev: number;
	readonly now: Step | null;
	readonly next: { readonly label: string; readonly line: string } | null;
	readonly timer: Timer | null;
	readonly screen: "live" | "black" | "logo";
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
