import { w } from "./words";

/** The greeting for this time of day. */
export function greeting(now: Date, name: string): string {
	const hour = now.getHours();
	const time = hour >= 5 && hour < 12 ? "morning" : hour >= 12 && hour < 18 ? "day" : "evening";
	return name === "" ? w(time) : w(`${time}Name`, { name });
}
