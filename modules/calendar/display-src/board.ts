import { hyphenated, lineHeightFor } from "@narthex/kit";
import { type Context, type Live, live } from "@narthex/sdk";
import { type Door, doorsAt, type Occurrence, type Today } from "./today";
import { type Words, wordsFor } from "./words";

/** How often the board reads the clock, in milliseconds. */
const lookEvery = 1000;

/** The sizes of the words in the boxes, the largest first. The smallest one can be read from a few metres. */
const scales = [2, 1.8, 1.6, 1.45, 1.3, 1.15, 1, 0.9, 0.8, 0.72];

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
		const key = `${today.rev} ${Math.floor(now / 60_000)}`;
		if (key === this.#shown) return;
		this.#shown = key;
		const doors = doorsAt(today, now);
		const columns = doors.length < 4 ? doors.length : Math.ceil(Math.sqrt(doors.length));
		const upright = doors.length > 6 ? 2 : 1;
		for (const [name, value] of [
			["--columns", String(columns)],
			["--columns-upright", String(upright)],
		] as const) {
			this.#frame.style.setProperty(name, value);
		}
		this.#frame.replaceChildren(this.#head(today, now), this.#rooms(doors));
		this.#fit();
	}

	/**
	 * Makes the words in the boxes as large as they fit, the same in all boxes. What does not fit at the
	 * smallest size is left out from the end of a box: first the later events.
	 */
	#fit(): void {
		const boxes = [...this.#frame.querySelectorAll<HTMLElement>(".door")];
		const cut = (words: Element) =>
			words.scrollWidth > words.clientWidth || words.scrollHeight > words.clientHeight;
		const over = (box: HTMLElement) => [box, ...box.querySelectorAll(".name, .what")].some(cut);
		for (const words of this.#frame.querySelectorAll<HTMLElement>("[hidden]")) words.hidden = false;
		const texts = ".title, .date, .name, .when, .what, .free, .quiet-day";
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

	#head({ zone }: Today, now: number): HTMLElement {
		const form = (options: Intl.DateTimeFormatOptions) =>
			new Intl.DateTimeFormat(this.context.locale, { ...options, timeZone: zone }).format(now);
		return element("header", "", [
			element("div", "title", [this.#words.title]),
			element("div", "date", [form({ weekday: "long", day: "numeric", month: "long" })]),
			element("div", "clock", [form({ hour: "numeric", minute: "2-digit" })]),
		]);
	}

	#rooms(doors: readonly Door[]): HTMLElement {
		if (doors.every(({ now, next }) => now.length + next.length === 0)) {
			return element("div", "quiet-day", [this.#words.nothing]);
		}
		return element(
			"div",
			"doors",
			doors.map((door) => this.#door(door)),
		);
	}

	#door({ name, now, next }: Door): HTMLElement {
		const words = this.#words;
		const lines = [
			...now.map((one) =>
				this.#line(one, "now", one.allDay ? words.now : `${words.now}, ${words.until(this.#time(one.end))}`),
			),
			...next.map((one) => this.#line(one, "next", this.#time(one.start))),
		];
		if (lines.length === 0) lines.push(element("div", "free", [words.free]));
		return element("section", now.length > 0 ? "door busy" : "door", [
			element("div", "name", [name === "" ? words.elsewhere : hyphenated(name, this.context.locale)]),
			...lines,
		]);
	}

	#line({ title }: Occurrence, kind: string, when: string): HTMLElement {
		const what = element("div", "what", [hyphenated(title, this.context.locale)]);
		what.dir = "auto";
		return element("div", kind, [
			element("div", "when", [when]),
			what,
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
