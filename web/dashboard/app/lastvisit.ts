import { keep, kept } from "./preferences";

/**
 * What the browser stores of a signed-in person's last visit, until they sign out: the URL of the last shown
 * module's script, with which the next page begins (early.ts), and the shape of the page's frame.
 */
const moduleKey = "narthex.module";
const frameKey = "narthex.frame";

/** The frame of the page: with the sidebar, or without it for somebody who has nothing to choose from. */
export type Frame = "columns" | "alone";

export const keepModule = (artifactUrl: string): void => keep(moduleKey, artifactUrl);
export const keepFrame = (frame: Frame): void => keep(frameKey, frame);

/** The frame of the last visit; undefined if nobody is signed in, as far as it is known. */
export function lastFrame(): Frame | undefined {
	const frame = kept(frameKey);
	return frame === "columns" || frame === "alone" ? frame : undefined;
}

/** The person has signed out. */
export function forgetVisit(): void {
	keep(moduleKey, "");
	keep(frameKey, "");
}
