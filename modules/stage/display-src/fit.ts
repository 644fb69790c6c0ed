import { lineHeightFor } from "@narthex/kit";

/**
 * Sizes of the words, in parts of the screen's height: the usual one, and the smallest that can be read from
 * afar. A word that is too wide may get the latter in parts of the screen's shorter side.
 */
const usual = 0.09;
const least = 0.062;
const smallest = 0.03;

/** Each step to a smaller size. */
const step = 0.94;

/**
 * Gives the words the largest size, up to the usual one, at which no line is broken. If that would be too
 * small to be read from afar, lines are broken instead, and long words are hyphenated only if they are too
 * wide at the smallest size that can be read from afar. Only words that do not fit even then are made
 * smaller.
 */
export function fitWords(words: HTMLElement, scale: number): void {
	const height = words.parentElement?.clientHeight ?? 0;
	if (height === 0 || words.childElementCount === 0) return;
	const largest = (usual * height * scale) / 100;
	words.classList.add("measured");
	words.style.lineHeight = String(lineHeightFor(words, 1.22));
	words.style.fontSize = `${largest}px`;
	const wide = words.clientWidth / Math.max(words.scrollWidth, 1);
	const high = words.clientHeight / Math.max(words.scrollHeight, 1);
	words.classList.remove("measured");
	// A measured width is rounded.
	const size = Math.max(least * height, largest * Math.min(1, wide * 0.99, high));
	const tooHigh = () => words.scrollHeight > words.clientHeight + 1;
	const tooWide = () => words.scrollWidth > words.clientWidth + 1;
	words.classList.add("whole");
	shrink(words, size, least * Math.min(height, words.clientWidth), () => tooWide() || tooHigh());
	const breaks = tooWide();
	words.classList.toggle("whole", !breaks);
	if (breaks) shrink(words, size, least * height, tooHigh);
	if (tooHigh()) shrink(words, Number.parseFloat(words.style.fontSize), smallest * height, tooHigh);
}

/** Makes the words smaller, from one size in pixels down to another, until they fit. */
export function shrink(words: HTMLElement, from: number, to: number, over: () => boolean): void {
	let size = from;
	words.style.fontSize = `${size}px`;
	while (over() && size > to) {
		size = Math.max(size * step, to);
		words.style.fontSize = `${size}px`;
	}
}
