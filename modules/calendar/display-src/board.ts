import { hyphenated, lineHeightFor, Mark } from "@narthex/kit";
import { type Context, type Live, live } from "@narthex/sdk";
import { h, render } from "preact";
import { type Door, doorsAt, type Occurrence, type Today } from "./today";
import { type Words, wordsFor } from "./words";

/** How often the board reads the clock, in milliseconds. */
const lookEvery = 1000;

/**
 * The sizes of the words in the doors, the largest first. At the usual one, 1, times can be read from 8
 * metres on a screen of 55 inches; at the smallest ones they can be read from 5.
 */
const scales = [1.5, 1.35, 1.2, 1.1, 1, 0.9, 0.8, 0.72, 0.65, 0.6];

/** So many doors stand below each other on a wide screen; more of them take two columns. */
const inOneColumn = 5;

/** Today's events, room by room. The board changes with the time and with every change of the calendar. */
export class Board {
	readonly #frame = document.createElement("div");
	readonly #words: Words;
	#live: Live<Today> | undefined;
	#shown = "";
	#timer: ReturnType<typeof setInterval> | undefined;
	readonly #resized = new ResizeObserver(() => this.#fit());

	constructor(
		container: HTMLElement,
		readonly context: Context,
	) {
		this.#words = wordsFor(context.locale);
		this.#frame.className = "house";
		container.append(this.#frame);
	}

	start(): void {
		this.#live = live<Today, { readonly rev: number }>(this.context, "today", {
			apply: (today, { rev }) => (rev <= today.rev ? today : undefined),
			changed: () => {
				this.#shown = "";
				this.#look();
			},
		});
		this.#timer = setInterval(() => this.#look(), lookEvery);
		this.#resized.observe(this.#frame);
	}

	stop(): void {
		this.#live?.stop();
		clearInterval(this.#timer);
		this.#resized.disconnect();
		this.#frame.remove();
	}

	#look(): void {
		const today = this.#live?.state;
		if (this.#live === undefined || today === undefined) return;
		const now = this.#live.now();
		const house = this.context.house?.name ?? "";
		const key = `${today.rev} ${Math.floor(now / 60_000)} ${house}`;
		if (key === this.#shown) return;
		this.#shown = key;
		const doors = doorsAt(today, now);
		this.#frame.replaceChildren(this.#head(today, now, house), this.#rooms(doors));
		this.#fit();
	}

	/**
	 * Makes the words in the doors as large as they fit, the same in all doors. What does not fit at the
	 * smallest size is left out from the end of a door: first the later events.
	 */
	#fit(): void {
		const boxes = [...this.#frame.querySelectorAll<HTMLElement>(".door")];
		const cut = (words: Element) =>
			words.scrollWidth > words.clientWidth || words.scrollHeight > words.clientHeight;
		const over = (box: HTMLElement) => [box, ...box.querySelectorAll(".name, .what")].some(cut);
		for (const words of this.#frame.querySelectorAll<HTMLElement>("[hidden]")) words.hidden = false;
		const texts = ".house-name, .title, .date, .name, .time, .what, .free, .quiet-day";
		for (const words of this.#frame.querySelectorAll<HTMLElement>(texts)) {
			words.style.lineHeight = String(lineHeightFor(words, 1.2));
		}
		for (const way of ["whole", "broken"]) {
			this.#frame.dataset["words"] = way; // words are broken only if they do not fit at any size
			for (const scale of scales) {
				this.#frame.style.setProperty("--scale", String(scale));
				if (!boxes.some(over)) return;
			}
		}
		for (const box of boxes) {
			const later = [...box.children].slice(2) as HTMLElement[];
			while (cut(box) && later.length > 0) (later.pop() as HTMLElement).hidden = true;
		}
	}

	#head({ zone }: Today, now: number, house: string): HTMLElement {
		const form = (options: Intl.DateTimeFormatOptions) =>
			new Intl.DateTimeFormat(this.context.locale, { ...options, timeZone: zone }).format(now);
		const mark = element("div", "mark", []);
		render(h(Mark, { height: 26 }), mark);
		const name = element("div", "house-name", [house]);
		name.dir = "auto";
		name.translate = false;
		return element("header", "", [
			mark,
			element("div", "heading", [
				...(house === "" ? [] : [name]),
				element("div", "title", [this.#words.title]),
				element("div", "date", [form({ weekday: "long", day: "numeric", month: "long" })]),
			]),
			element("div", "clock", [form({ hour: "numeric", minute: "2-digit" })]),
		]);
	}

	#rooms(doors: readonly Door[]): HTMLElement {
		if (doors.every(({ now, next }) => now.length + next.length === 0)) {
			return element("div", "quiet-day", [element("div", "shut", []), this.#words.nothing]);
		}
		const half = doors.length > inOneColumn ? Math.ceil(doors.length / 2) : doors.length;
		const columns = [doors.slice(0, half), doors.slice(half)].filter(({ length }) => length > 0);
		return element(
			"div",
			"doors",
			columns.map((column) => {
				const made = element("div", "column", column.map((door) => this.#door(door)));
				made.style.setProperty("--rooms", String(column.length));
				return made;
			}),
		);
	}

	/** A door: lit while something goes on behind it, half lit if something comes today. */
	#door({ name, now, next }: Door): HTMLElement {
		const words = this.#words;
		const lines = [
			...now.map((one) =>
				one.allDay ? this.#line(one, "now", "", words.allDay) : this.#line(one, "now", words.until, one.end),
			),
			...next.map((one) => this.#line(one, "next", now.length > 0 ? words.then : words.from, one.start)),
		];
		if (lines.length === 0) lines.push(element("div", "free", [words.free]));
		const state = now.length > 0 ? "busy" : next.length > 0 ? "coming" : "empty";
		return element("section", `door ${state}`, [
			element("div", "name", [name === "" ? words.elsewhere : hyphenated(name, this.context.locale)]),
			...lines,
		]);
	}

	/** An event with the time that matters: when it ends, or when it begins. */
	#line({ title }: Occurrence, kind: string, before: string, time: string): HTMLElement {
		const what = element("div", "what", [hyphenated(title, this.context.locale)]);
		what.dir = "auto";
		const said = /^\d{4}-/.test(time) ? this.#time(time) : time;
		return element("div", kind, [
			what,
			element("div", "when", [
				element("span", "before", [before]),
				" ",
				element("span", "time", [said]),
			]),
		]);
	}

	/** Formats a local time of the house. */
	#time(text: string): string {
		const form = new Intl.DateTimeFormat(this.context.locale, {
			hour: "numeric",
			minute: "2-digit",
			timeZone: "UTC",
		});
		return form.format(Date.parse(`${text}Z`));
	}
}

function element(tag: string, name: string, children: readonly (string | Node)[]): HTMLElement {
	const made = document.createElement(tag);
	if (name !== "") made.className = name;
	made.append(...children);
	return made;
}
