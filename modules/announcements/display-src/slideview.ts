import { hyphenated, lineHeightFor } from "@narthex/kit";
import { type BoardSlide, ownKind } from "./board";
import type { Box, Picture } from "./pictures";

/** Sizes of the words, relative to the usual one, best first. Even the last can be read from afar. */
const scales = [1.4, 1.2, 1, 0.94, 0.89];
/** A title with a text below it grows less. At the smallest size it is nearly as small as the text. */
const scalesWithText = scales.slice(1);
const smallTitle = "0.78";

/** The parts of a slide that are needed to show it. */
export type Words = Pick<BoardSlide, "kind" | "title" | "body" | "payload">;

/** Whether a slide shows its picture without its words. */
export function isPictureOnly({ kind, payload }: Pick<Words, "kind" | "payload">): boolean {
	return kind === ownKind && (payload as { pictureOnly?: unknown } | null)?.pictureOnly === true;
}

/** The place of a slide's picture: the whole slide, or about a half of it. */
export function pictureBox(slide: Pick<Words, "kind" | "payload">, { width, height }: Box): Box {
	if (isPictureOnly(slide)) return { width, height };
	return width > height ? { width: width / 2, height } : { width, height: height / 2 };
}

/** A slide, as large as its container. Call fit after it is attached to the page. */
export function slideElement(slide: Words, image: HTMLImageElement | undefined, locale: string): HTMLElement {
	const element = block("slide");
	const pictureOnly = image !== undefined && isPictureOnly(slide);
	element.dataset["layout"] = image === undefined ? "text" : pictureOnly ? "picture" : "both";
	if (image !== undefined) {
		if (pictureOnly) image.alt = slide.title;
		const frame = block("slide-picture");
		frame.append(image);
		element.append(frame);
	}
	if (!pictureOnly) {
		const text = block("slide-text");
		text.append(block("slide-title", hyphenated(slide.title, locale)));
		if (slide.body.trim() !== "") text.append(block("slide-body", hyphenated(slide.body, locale)));
		element.append(text);
	}
	return element;
}

function block(name: string, words?: string): HTMLElement {
	const element = document.createElement("div");
	element.className = name;
	if (words !== undefined) {
		element.dir = "auto";
		element.textContent = words;
	}
	return element;
}

/**
 * Reads a larger size of the picture if the slide has become larger, and gives the words the largest size at
 * which all of them fit and no word is broken. If a word is too wide at the smallest size, it is hyphenated.
 * If the words do not fit then, they are cut after a whole line, and fit returns false.
 */
export function fit(slide: HTMLElement, picture?: Picture): boolean {
	const box = picture?.element.parentElement?.getBoundingClientRect();
	if (box && box.width > 0) picture?.fit(box);
	const text = slide.querySelector<HTMLElement>(".slide-text");
	if (text === null || text.clientHeight === 0) return true;
	const title = text.querySelector<HTMLElement>(".slide-title");
	const body = text.querySelector<HTMLElement>(".slide-body");
	const fits = () =>
		text.scrollHeight <= text.clientHeight + 1 && text.scrollWidth <= text.clientWidth + 1;
	const unbroken = (part: HTMLElement | null) => !part || part.scrollWidth <= part.clientWidth + 1;
	const allFit = () => fits() && unbroken(title) && unbroken(body);
	title?.style.setProperty("line-height", String(lineHeightFor(title, 1.15)));
	body?.style.setProperty("line-height", String(lineHeightFor(body, 1.3)));
	body?.style.removeProperty("-webkit-line-clamp");
	slide.classList.remove("cut");
	slide.classList.add("whole-words");
	const sizes = body === null ? scales : scalesWithText;
	const smallest = sizes.slice(-1);
	let found = tried(slide, sizes, "1", allFit) || tried(slide, smallest, smallTitle, allFit);
	slide.classList.remove("whole-words");
	found ||= tried(slide, smallest, "1", fits) || tried(slide, smallest, smallTitle, fits);
	if (found || body === null || title === null) return found;
	slide.style.setProperty("--title", "1");
	slide.classList.add("cut");
	const line = Number.parseFloat(getComputedStyle(body).lineHeight);
	const room = text.getBoundingClientRect().bottom - body.getBoundingClientRect().top;
	body.style.setProperty("-webkit-line-clamp", String(Math.max(1, Math.floor(room / line))));
	return false;
}

function tried(slide: HTMLElement, sizes: readonly number[], title: string, fits: () => boolean): boolean {
	slide.style.setProperty("--title", title);
	return sizes.some((scale) => {
		slide.style.setProperty("--scale", String(scale));
		return fits();
	});
}
