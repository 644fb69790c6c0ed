/** A language, with the region that the browser prefers, and the words of it. */
export interface Language<Words> {
	readonly tag: string;
	readonly words: Words;
}

/** The first wish that there are words for, else English. */
export function languageFor<Words>(
	wishes: readonly string[],
	catalogue: { readonly en: Words } & Readonly<Record<string, Words>>,
): Language<Words> {
	for (const tag of wishes) {
		const words = catalogue[tag.toLowerCase().split("-")[0] ?? ""];
		if (words !== undefined) return { tag, words };
	}
	return { tag: "en", words: catalogue.en };
}
