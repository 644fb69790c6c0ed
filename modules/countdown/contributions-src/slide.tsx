import { defineContribution } from "@narthex/sdk";
import { render } from "preact";
import { defaults, isOver, read } from "./slide/countdown";
import { Face } from "./slide/face";
import { Fields } from "./slide/fields";
import { wordsFor } from "./slide/words";

/** The tools that a slide gets, on a screen and in the Dashboard (see the README of announcements). */
interface Tools {
	serverNow(): number;
	readonly locale: string;
}

/** How often the face reads the clock, in milliseconds. It changes once a second. */
const lookEvery = 100;

export default defineContribution({
	label: (locale: string) => wordsFor(locale)("kind"),
	defaults: (locale: string) => defaults(wordsFor(locale)("label"), new Date()),
	isDue: (payload: unknown, now: number) => !isOver(read(payload), now),

	edit(container: HTMLElement, payload: unknown, onChange: (payload: object) => void, { locale }: Tools) {
		render(<Fields countdown={read(payload)} say={wordsFor(locale)} onChange={onChange} />, container);
		return () => render(null, container);
	},

	render(container: HTMLElement, payload: unknown, { serverNow, locale }: Tools) {
		const face = new Face(container, read(payload), locale);
		face.show(serverNow());
		const timer = setInterval(() => face.show(serverNow()), lookEvery);
		return () => {
			clearInterval(timer);
			face.stop();
		};
	},
});
