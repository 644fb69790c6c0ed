import type { Context } from "@narthex/sdk";
import { type BoardSlide, ownKind } from "./board";
import type { SlideKinds } from "./contributed";
import type { Box, Pictures } from "./pictures";
import { fit, isPictureOnly, slideElement } from "./slideview";

/** One slide, ready to be shown. */
export interface Frame {
	readonly key: string;
	readonly element: HTMLElement;
	/** Loading its picture failed and may be tried again. */
	readonly incomplete: boolean;
	/** Fits the content into the element, which is attached to the page; false if not all words fit. */
	fit(): boolean;
	dispose(): void;
}

export interface FrameTools {
	readonly context: Pick<Context, "locale" | "dir">;
	readonly pictures: Pictures;
	readonly kinds: SlideKinds;
	/** How large the slide will be shown. */
	room(): Box;
	now(): number;
}

/** Identifies the content of a frame: when it changes, a new frame is needed. */
export const frameKey = ({ id, rev }: Pick<BoardSlide, "id" | "rev">): string => `${id}:${rev}`;

/** Whether two frames are of the same slide, before and after a change. */
export const sameSlide = (key: string, other: string): boolean => idOf(key) === idOf(other);

const idOf = (key: string): string => key.split(":", 1)[0] ?? "";

/**
 * Makes a slide with its picture decoded. Returns undefined if the kind cannot be shown now, because the
 * contribution is missing or throws an error. Such an error is only logged: a screen takes an error that is
 * reported to its window for the board's own, and would not start.
 */
export async function frameOf(slide: BoardSlide, tools: FrameTools): Promise<Frame | undefined> {
	const key = frameKey(slide);
	const { locale, dir } = tools.context;
	if (slide.kind === ownKind) {
		const picture =
			slide.imageId === null
				? undefined
				: await tools.pictures.decoded(slide.imageId, tools.room(), isPictureOnly(slide));
		const incomplete = slide.imageId !== null && picture === undefined;
		const element = slideElement(slide, picture?.element, locale);
		return { key, element, incomplete, fit: () => fit(element, picture), dispose: () => undefined };
	}
	const kind = await tools.kinds.load(slide.kind);
	if (kind === undefined) return undefined;
	const element = document.createElement("div");
	element.className = "slide contributed";
	element.dataset["layout"] = "contributed";
	element.dataset["place"] = "contributed";
	try {
		const dispose = kind.render(element, slide.payload, { serverNow: () => tools.now(), locale, dir });
		return { key, element, incomplete: false, fit: () => fit(element), dispose: () => tolerant(dispose) };
	} catch (error) {
		console.error(error);
		return undefined;
	}
}

/** Runs dispose. An error of a contribution must not affect the next slide. */
function tolerant(dispose: (() => void) | void): void {
	try {
		dispose?.();
	} catch (error) {
		console.error(error);
	}
}

/** The frame that is shown while no slide is due: a door in its frames, and perhaps a message. */
export function idleFrame(key: string, message: string, locale: string): Frame {
	const words = { kind: ownKind, title: message, body: "", payload: null };
	const element = slideElement(words, undefined, locale);
	element.classList.add("idle");
	if (message === "") element.dataset["place"] = "idle";
	return { key, element, incomplete: false, fit: () => fit(element), dispose: () => undefined };
}
