import { localTime } from "../../../kit/house";
import { w } from "./words";

/** The greeting for this time of day. */
export function greeting(now: Date, name: string): string {
	const hour = Number(localTime(now).slice(11, 13));
	const time = hour >= 5 && hour < 12 ? "morning" : hour >= 12 && hour < 18 ? "day" : "evening";
	return name === "" ? w(time) : w(`${time}Name`, { name });
}
