/** A language of a display's page, and its words. */
export interface Language<Words> {
	/** With the region that the browser prefers: it decides how times and numbers look. */
	readonly tag: string;
	readonly dir: "ltr" | "rtl";
	readonly words: Words;
	/** The language of the words: English, where there are none of the other. */
	readonly lang: string;
}

type Catalogue<Words> = { readonly en: Words } & Readonly<Record<string, Words>>;

const rightToLeft = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]);

/** The house's language; as long as that is unknown, the first wish that has words, else English. */
export function languageFor<Words>(
	house: string | undefined,
	wishes: readonly string[],
	catalogue: Catalogue<Words>,
): Language<Words> {
	const spoken = house ?? wishes.find((wish) => catalogue[baseOf(wish)] !== undefined) ?? "en";
	const tag = wishes.find((wish) => baseOf(wish) === spoken) ?? spoken;
	const base = baseOf(spoken);
	const words = catalogue[base];
	return {
		tag,
		dir: rightToLeft.has(base) ? "rtl" : "ltr",
		words: words ?? catalogue.en,
		lang: words === undefined ? "en" : tag,
	};
}

/** A text as a language with or without a region; undefined when it is none. */
export const asTag = (text: string | undefined): string | undefined =>
	text !== undefined && /^[a-z]{2,3}(-[A-Z]{2})?$/.test(text) ? text : undefined;

const baseOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? "";
