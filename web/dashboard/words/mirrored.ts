import { english, type Plural, type Words } from "./english";

/**
 * The right-to-left pseudo-language for trying layouts: English shown from right to left, with every word 40
 * % longer. It is not offered; only its tag selects it.
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
