/** A person in a list that was typed or pasted. */
export interface Addressee {
	readonly email: string;
	/** The name in the list: "Reader 4 <reader4@example.org>". */
	readonly name?: string;
}

export interface Addresses {
	/** Each address once, in the order of the list. */
	readonly found: readonly Addressee[];
	/** Entries that are not addresses. */
	readonly wrong: readonly string[];
}

/** This only catches typing errors; the server checks the full syntax. */
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * The addresses in a list: one per line, or separated by commas, semicolons or spaces, with or without names
 * in the format of mail programs.
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
