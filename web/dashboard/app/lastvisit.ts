import { keep, kept } from "./preferences";

/**
 * What the browser stores of a signed-in person's last visit, until they sign out: the URL of the last shown
 * module's script, with which the next page begins (early.ts), and the shape of the page's frame.
 */
const moduleKey = "narthex.module";
const frameKey = "narthex.frame";
const homeKey = "narthex.home";

/** Under this key the browser stores that the first steps of a house are done, or not wanted. */
export const keptSteps = "narthex.steps";
export const noSteps = "done";

/** After this time without a look at Home, the next look is another visit, in milliseconds. */
const visitEnd = 30 * 60_000;

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
	keep(homeKey, "");
}

/**
 * Notes that a person sees Home at this time, in milliseconds since 1970, and returns when their previous
 * visit ended; undefined if the browser knows of none.
 */
export function lookAtHome(person: string, now: number): number | undefined {
	const look = lookOf(kept(homeKey), person);
	const lastVisit = look !== undefined && now - look.seen > visitEnd ? look.seen : look?.lastVisit;
	keep(homeKey, JSON.stringify({ person, seen: now, lastVisit }));
	return lastVisit;
}

interface Look {
	/** When this person last saw Home, in milliseconds since 1970. */
	readonly seen: number;
	/** When their visit before that one ended. */
	readonly lastVisit: number | undefined;
}

/** The stored look of this person. The stored text may be anything. */
function lookOf(text: string, person: string): Look | undefined {
	try {
		const look = JSON.parse(text) as { person?: unknown; seen?: unknown; lastVisit?: unknown } | null;
		if (look?.person !== person || typeof look.seen !== "number") return undefined;
		return { seen: look.seen, lastVisit: typeof look.lastVisit === "number" ? look.lastVisit : undefined };
	} catch {
		return undefined;
	}
}
