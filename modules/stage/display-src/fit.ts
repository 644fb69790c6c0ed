/**
 * Sizes of the words, in parts of the screen's height: the usual one, and the smallest that can be read from
 * afar.
 */
const usual = 0.09;
const least = 0.062;
const smallest = 0.03;

/**
 * Gives the words the largest size, up to the usual one, at which no line is broken. If that would be too
 * small to be read from afar, lines are broken instead. Only words that do not fit even then are made
 * smaller.
 */
export function fitWords(words: HTMLElement, scale: number): void {
	const height = words.parentElement?.clientHeight ?? 0;
	if (height === 0 || words.childElementCount === 0) return;
	const largest = (usual * height * scale) / 100;
	words.classList.add("measured");
	words.style.fontSize = `${largest}px`;
	const wide = words.clientWidth / Math.max(words.scrollWidth, 1);
	const high = words.clientHeight / Math.max(words.scrollHeight, 1);
	words.classList.remove("measured");
	let size = Math.max(least * height, largest * Math.min(1, wide * 0.99, high)); // a measured width is rounded
	words.style.fontSize = `${size}px`;
	while (words.scrollHeight > words.clientHeight + 1 && size > smallest * height) {
		size *= 0.94;
		words.style.fontSize = `${size}px`;
	}
}
