import { effect, signal } from "@preact/signals";
import { kitHouse } from "../../kit/house";
import { type House, houseOf } from "../data/platform";
import { keep, kept } from "./preferences";

const key = "narthex.house";

/**
 * The house as the server last sent it. It is stored in the browser, so that the next page can show it at
 * once.
 */
export const house = signal<House | undefined>(lastSeen());

function lastSeen(): House | undefined {
	try {
		return houseOf(JSON.parse(kept(key)));
	} catch {
		return undefined; // nothing is stored, or an older version stored another format
	}
}

/** Applies the house's colour, and stores every change of the house from now on. */
export function paintHouse(): void {
	effect(() => {
		const { value } = house;
		if (value === undefined) return;
		kitHouse.value = value;
		keep(key, JSON.stringify(value));
		document.documentElement.dataset["accent"] = value.accent;
		const fill = getComputedStyle(document.documentElement).getPropertyValue("--d-fill");
		const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
		if (icon) icon.href = icon.href.replace(/fill='[^']*'/, `fill='${encodeURIComponent(fill)}'`);
	});
}
