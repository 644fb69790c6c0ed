/** Where the browser stores something: as long as the tab lives, or permanently. */
type Area = "sessionStorage" | "localStorage";

const key = "narthex.display.";

/** What is stored under a name; "" if nothing is, or if storage is disabled. */
export function kept(area: Area, name: string): string {
	try {
		return window[area].getItem(key + name) ?? "";
	} catch {
		return "";
	}
}

/** Stores a text, if that is possible; "" deletes it. */
export function keep(area: Area, name: string, value: string): void {
	try {
		if (value === "") window[area].removeItem(key + name);
		else window[area].setItem(key + name, value);
	} catch {
		return;
	}
}
