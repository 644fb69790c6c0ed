import { hyphenated, lineHeightFor } from "@narthex/kit";
import { type BoardSlide, ownKind } from "./board";
import { boxOf, deep, mayBleed, type Picture, type Place, shares } from "./pictures";
import { languageOf } from "./textlanguage";

/**
 * Sizes of the words, relative to the usual one, best first: the fewer words, the larger. Even the last can
 * be read from afar.
 */
const scales = [2.4, 2.1, 1.8, 1.6, 1.4, 1.2, 1, 0.94, 0.89];
/** A title with a text below it grows less. At the smallest size it is nearly as small as the text. */
const scalesWithText = scales.slice(3);
const smallTitle = "0.78";
/** From this size on there is room for the line above the title. */
const roomy = 1;

/** The parts of a slide that are needed to show it. */
export type Words = Pick<BoardSlide, "kind" | "title" | "body" | "payload">;

/** Whether a slide shows its picture without its words. */
export function isPictureOnly({ kind, payload }: Pick<Words, "kind" | "payload">): boolean {
	return kind === ownKind && (payload as { pictureOnly?: unknown } | null)?.pictureOnly === true;
}

/** A slide, as large as its container. Call fit after it is attached to the page. */
export function slideElement(slide: Words, image: HTMLImageElement | undefined, locale: string): HTMLElement {
	const element = block("slide");
	const pictureOnly = image !== undefined && isPictureOnly(slide);
	element.dataset["layout"] = image === undefined ? "text" : pictureOnly ? "picture" : "both";
	element.dataset["place"] = image === undefined ? "text" : pictureOnly ? "alone" : "beside";
	if (image !== undefined) {
		if (pictureOnly) image.alt = slide.title;
		const frame = block("slide-picture");
		frame.append(image);
		element.append(frame);
	}
	if (!pictureOnly) {
		const text = block("slide-text");
		text.lang = languageOf(`${slide.title} ${slide.body}`, locale);
		text.append(block("slide-title", hyphenated(slide.title, text.lang)));
		if (slide.body.trim() !== "") text.append(block("slide-body", hyphenated(slide.body, text.lang)));
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
 * Composes a slide like a page of a magazine: the picture over all of it with the words on its lower part, if
 * enough of it is seen then and the words leave it room; else the picture beside the words. Then it reads a
 * larger size of the picture if the slide has become larger. Returns false if not all words fit.
 */
export function fit(slide: HTMLElement, picture?: Picture): boolean {
	const room = { width: slide.clientWidth, height: slide.clientHeight };
	const layout = slide.dataset["layout"];
	if (room.height === 0 || layout === "contributed") return true;
	if (picture === undefined || layout !== "both") {
		picture?.fit(boxOf("alone", picture.ratio, room));
		return fitWords(slide, false, false);
	}
	const { ratio } = picture;
	const side = room.width > room.height ? "beside" : "above";
	const pages: [Place, number?][] = shares.map((share) => [side, share]);
	if (mayBleed(ratio, room)) pages.unshift(["bleed"], ["bleed", deep]);
	for (const [n, [place, share]] of pages.entries()) {
		const box = boxOf(place, ratio, room, share);
		slide.dataset["place"] = place;
		slide.classList.toggle("deep", place === "bleed" && share === deep);
		slide.style.setProperty("--picture", `${place === "beside" ? box.width : box.height}px`);
		const all = fitWords(slide, n === 0, n < pages.length - 1);
		if (!all && n < pages.length - 1) continue;
		picture.fit(box);
		return all;
	}
	return true;
}

/**
 * Gives the words the largest size at which all of them fit and no word is broken. If a word is too wide at
 * the smallest size, it is hyphenated, unless all words have to be whole. If the words do not fit then, they
 * are cut after a whole line, unless there is another place for them.
 */
function fitWords(slide: HTMLElement, whole: boolean, elsewhere: boolean): boolean {
	const text = slide.querySelector<HTMLElement>(".slide-text");
	if (text === null) return true;
	const title = text.querySelector<HTMLElement>(".slide-title");
	const body = text.querySelector<HTMLElement>(".slide-body");
	const fits = () =>
		text.scrollHeight <= text.clientHeight + 1 && text.scrollWidth <= text.clientWidth + 1;
	const unbroken = (part: HTMLElement | null) => !part || part.scrollWidth <= part.clientWidth + 1;
	const allFit = () => fits() && unbroken(title) && unbroken(body);
	title?.style.setProperty("line-height", String(lineHeightFor(title, 1.1)));
	body?.style.setProperty("line-height", String(lineHeightFor(body, 1.3)));
	body?.style.removeProperty("-webkit-line-clamp");
	slide.classList.remove("cut");
	slide.classList.add("whole-words");
	const sizes = body === null && !slide.classList.contains("idle") ? scales : scalesWithText;
	const smallest = sizes.slice(-1);
	let found = tried(slide, sizes, "1", allFit) || tried(slide, smallest, smallTitle, allFit);
	slide.classList.remove("whole-words");
	if (!found && whole) return false;
	found ||= tried(slide, smallest, "1", fits) || tried(slide, smallest, smallTitle, fits);
	if (found || elsewhere || body === null || title === null) return found;
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
		slide.classList.toggle("roomy", scale >= roomy);
		return fits();
	});
}
