/** What displays need to lay out words of any font, script and length. */

let pen: CanvasRenderingContext2D | null = null;

/**
 * The line height, in parts of the font's size, at which no letter of the element reaches out of its line:
 * the usual one, or more for a font or a script that is taller.
 */
export function lineHeightFor(element: HTMLElement, usual: number): number {
	const { fontFamily, fontWeight } = getComputedStyle(element);
	pen ??= document.createElement("canvas").getContext("2d");
	if (pen === null) return usual;
	const size = 100;
	pen.font = `${fontWeight} ${size}px ${fontFamily}`;
	const ink = pen.measureText(element.textContent);
	if (ink.fontBoundingBoxAscent === undefined) return usual; // Firefox before 116
	const above = ink.actualBoundingBoxAscent - ink.fontBoundingBoxAscent;
	const below = ink.actualBoundingBoxDescent - ink.fontBoundingBoxDescent;
	// The space that a line has beyond the font's own height is half above it and half below it.
	const font = ink.fontBoundingBoxAscent + ink.fontBoundingBoxDescent;
	return Math.max(usual, Math.ceil(font + 2 * Math.max(above, below)) / size);
}

const vowel = "[aeiouyäöü]";
const consonant = "[bcdfghjklmnpqrstvwxzß]";
/** Consonants that begin a syllable together. */
const beginnings =
	`schr|sch[lmnw]?|spr|str|s[pt]|pf[lr]?|[bfgkp][lr]|[dt]r|kn|zw|c[hk]|[pt]h|qu|${consonant}`;
const syllableEnd = new RegExp(`(?<=\\p{L})(${vowel})(${consonant}*?)(${beginnings})(?=${vowel})`, "giu");

/**
 * The same words, with a soft hyphen after each syllable of a long one. Browsers without a hyphenation
 * dictionary, as on most small computers, would break it anywhere and without a hyphen. Only German has such
 * words, so in other languages nothing changes. "hyphens: none" ignores the soft hyphens.
 */
export function hyphenated(words: string, locale: string): string {
	if (!locale.startsWith("de")) return words;
	return words.replace(/\p{L}{10,}/gu, (word) => word.replace(syllableEnd, "$1$2\u00ad$3"));
}
