import { english, type Plural, type Words } from "./english";

/**
 * The right-to-left pseudo-language that layouts are tried in: English, read from right to left and a good part longer. It is
 * reached by its tag alone and is not offered.
 */
const mirror = (text: string): string => `\u202e${text.replace(/[^{}]+(?![^{]*\})/g, (part) => part + part.slice(0, part.length * 0.4))}\u202c`;

export const mirrored = Object.fromEntries(
	Object.entries(english).map(([id, entry]: [string, string | Plural]) => [
		id,
		typeof entry === "string" ? mirror(entry) : Object.fromEntries(Object.entries(entry).map(([form, text]) => [form, mirror(text)])),
	]),
) as Words;
