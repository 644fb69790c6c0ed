/** How long a slide takes to replace another one, in milliseconds. */
export const fadeFor = 400;

/** In parts of that time: until then the old words leave, and the new picture and ground come. */
const wordsGone = 0.35;
const groundCame = 0.7;

/** What of a slide is words; a picture that is shown alone may have some. */
function wordsOf(slide: HTMLElement): HTMLElement[] {
	if (slide.dataset["layout"] === "contributed") return [...slide.children] as HTMLElement[];
	const words = [...slide.querySelectorAll<HTMLElement>(".slide-text")];
	return words.length > 0 ? words : [...slide.querySelectorAll<HTMLElement>(".slide-picture")];
}

/**
 * Replaces one slide by another one above it. The old words are gone before the new slide begins to come, and
 * the new words come last, so that two texts are never seen at once.
 */
export function fade(old: HTMLElement, next: HTMLElement): void {
	const over = (element: HTMLElement, opacity: number[], offset: number[]) =>
		element.animate({ opacity, offset }, { duration: fadeFor, easing: "linear" });
	for (const words of wordsOf(old)) over(words, [1, 0, 0], [0, wordsGone, 1]);
	over(next, [0, 0, 1, 1], [0, wordsGone, groundCame, 1]);
	for (const words of wordsOf(next)) over(words, [0, 0, 1], [0, groundCame, 1]);
}
