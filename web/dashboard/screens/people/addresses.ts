/** Somebody in a list that was typed or pasted. */
export interface Addressee {
	readonly email: string;
	/** As it stands in the list: "Reader 4 <reader4@example.org>". */
	readonly name?: string;
}

export interface Addresses {
	/** Each address once, in the order of the list. */
	readonly found: readonly Addressee[];
	/** What is no address. */
	readonly wrong: readonly string[];
}

/** The server knows the grammar; this catches slips. */
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * The addresses of a list: one a line, or with commas, semicolons or spaces between them, with names as mail
 * programs write them or without.
 */
export function addressesIn(list: string): Addresses {
	const found = new Map<string, Addressee>();
	const wrong = new Set<string>();
	const take = (text: string, name = "") => {
		const email = text.toLowerCase();
		if (!address.test(email)) wrong.add(text);
		else if (!found.has(email)) found.set(email, name === "" ? { email } : { email, name });
	};
	for (const [part] of list.matchAll(/(?:"[^"\n]*"|[^\n;,"])+/g)) {
		const named = /^(.*?)<([^<>]*)>\s*$/.exec(part.trim());
		if (named) take((named[2] ?? "").trim(), (named[1] ?? "").trim().replace(/^["'](.*)["']$/, "$1"));
		else for (const text of part.split(/\s+/)) if (text !== "") take(text);
	}
	return { found: [...found.values()], wrong: [...wrong] };
}
