/** What displays need to lay out words of any font, script and length. */
/**
 * The line height, in parts of the font's size, at which no letter of the element reaches out of its line:
 * the usual one, or more for a font or a script that is taller.
 */
export declare function lineHeightFor(element: HTMLElement, usual: number): number;
/**
 * The same words, with a soft hyphen after each syllable of a long one. Browsers without a hyphenation
 * dictionary, as on most small computers, would break it anywhere and without a hyphen. Only German has such
 * words, so in other languages nothing changes. "hyphens: none" ignores the soft hyphens.
 */
export declare function hyphenated(words: string, locale: string): string;
