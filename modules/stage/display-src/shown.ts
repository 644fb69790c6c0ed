/** Words as a screen shows them at once. */
export interface Step {
	readonly label: string;
	readonly lines: readonly string[];
}

/** Until when there is time, and of what that is the time. */
export interface Timer {
	readonly endsAt: string;
	readonly mode: "item" | "end_on_time" | "end_service";
}

/** All that a screen shows: each snapshot and each update is the whole of it. */
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

/** The seconds that are left until a moment; negative when it has passed. */
export const secondsLeft = (timer: Timer, now: number): number =>
	Math.ceil((Date.parse(timer.endsAt) - now) / 1000);

/** "4:05" is left, "+0:12" is over, "1:02:00" for hours. */
export function clockOf(seconds: number): string {
	const all = Math.abs(seconds);
	const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
	const two = (part: number) => String(part).padStart(2, "0");
	const words = hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
	return seconds < 0 ? `+${words}` : words;
}

/** Under a minute, and when it is over, the timer asks for attention. */
export const isUrgent = (seconds: number): boolean => seconds < 60;
