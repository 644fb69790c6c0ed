import { english, type Plural, type Words } from "./english";

/**
 * The right-to-left pseudo-language that layouts are tried in: English, read from right to left and every
 * word a good part longer. It is reached by its tag alone and is not offered.
 */
const mirror = (text: string): string => `\u202e${text.replace(/[^\s{}]+(?![^{]*\})/g, longer)}\u202c`;
const longer = (word: string): string => word + word.slice(0, Math.ceil(word.length * 0.4));

export const mirrored = Object.fromEntries(
	Object.entries(english).map(([id, entry]: [string, string | Plural]) => [
		id,
		typeof entry === "string"
			? mirror(entry)
			: Object.fromEntries(Object.entries(entry).map(([form, text]) => [form, mirror(text)])),
	]),
) as Words;
