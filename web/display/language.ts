/** The language of a display's page, with its texts. */
export interface Language<Words> {
	/** With the region that the browser prefers, which decides the format of times and numbers. */
	readonly tag: string;
	readonly dir: "ltr" | "rtl";
	readonly words: Words;
	/** The language of the texts: English if there are none in the other language. */
	readonly lang: string;
}

type Catalogue<Words> = { readonly en: Words } & Readonly<Record<string, Words>>;

const rightToLeft = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]);

/** The house's language; if that is unknown, the first preferred language with texts, else English. */
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

/** A text as the tag of a language, with or without a region; undefined if it is none. */
export const asTag = (text: string | undefined): string | undefined =>
	text !== undefined && /^[a-z]{2,3}(-[A-Z]{2})?$/.test(text) ? text : undefined;

const baseOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? "";
