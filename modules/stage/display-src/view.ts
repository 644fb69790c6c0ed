/** For whom a screen is: everybody, the musicians, or the congregation alone. */
export type View = "all" | "singers" | "congregation";

/** The view of an address, such as /display/stage#singers. */
export function viewOf(hash: string): View {
	const name = hash.replace(/^#/, "");
	return name === "singers" || name === "congregation" ? name : "all";
}
