/** Where the browser keeps something: as long as the tab lives, or for every later start. */
type Area = "sessionStorage" | "localStorage";

const key = "narthex.display.";

/** What is kept under a name; "" without, or where storage is switched off. */
export function kept(area: Area, name: string): string {
	try {
		return window[area].getItem(key + name) ?? "";
	} catch {
		return "";
	}
}

/** Keeps a text, where that is possible; "" forgets it. */
export function keep(area: Area, name: string, value: string): void {
	try {
		if (value === "") window[area].removeItem(key + name);
		else window[area].setItem(key + name, value);
	} catch {
		return;
	}
}
