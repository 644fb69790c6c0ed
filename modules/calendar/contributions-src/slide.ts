import { defineContribution, fillIn } from "@narthex/sdk";
import { beginOf, type Next, nextOf } from "./coming";

/**
 * The payload of a slide: the next events, because a screen cannot fetch them. The calendar keeps them up to
 * date.
 */
interface Payload {
	readonly heading: string;
	readonly events: readonly Next[];
}

/** The tools that the board's module passes to a slide. */
interface SlideTools {
	serverNow(): number;
	readonly locale: string;
	/** The calendar's own routes, as the person who writes. Screens have none. */
	api?(path: string): Promise<Response>;
}

/** How many events a slide shows at most, and how many days ahead. */
const most = 6;
const days = 14;

const payloadOf = (payload: unknown): Payload => {
	const { heading, events } = (payload ?? {}) as Partial<Payload>;
	return { heading: typeof heading === "string" ? heading : "", events: Array.isArray(events) ? events : [] };
};

/** Past events are not shown. */
const isComing =
	(now: number) =>
	({ endsAt }: Next): boolean =>
		Date.parse(endsAt) > now;

const words = (locale: string) =>
	locale.startsWith("de")
		? {
				label: "Kalender: nächste Termine",
				heading: "Demnächst",
				headingField: "Überschrift",
				taken: {
					one: "{count} Termin steht auf der Folie. Sie folgt dem Kalender.",
					other: "{count} Termine stehen auf der Folie. Sie folgt dem Kalender.",
				},
				failed: "Die Termine ließen sich nicht lesen. Versuchen Sie es noch einmal.",
				nothing: "Zurzeit steht nichts an.",
			}
		: {
				label: "Calendar: next events",
				heading: "Coming up",
				headingField: "Heading",
				taken: {
					one: "{count} event is on the slide. It follows the calendar.",
					other: "{count} events are on the slide. It follows the calendar.",
				},
				failed: "The events could not be read. Try again.",
				nothing: "Nothing is coming up.",
			};

export default defineContribution({
	label: (locale: string) => words(locale).label,
	defaults: (locale: string): Payload => ({ heading: words(locale).heading, events: [] }),
	isDue: (payload: unknown, now: number): boolean => payloadOf(payload).events.some(isComing(now)),
	edit(container: HTMLElement, given: unknown, onChange: (payload: object) => void, tools: SlideTools) {
		const say = words(tools.locale);
		let payload = payloadOf(given);
		const field = document.createElement("label");
		field.className = "d-field";
		const input = document.createElement("input");
		input.maxLength = 60;
		input.value = payload.heading === "" ? say.heading : payload.heading;
		field.append(say.headingField, input);
		const state = document.createElement("p");
		state.className = "d-muted";
		state.setAttribute("role", "status");
		container.append(field, state);
		const change = (part: Partial<Payload>) => {
			payload = { ...payload, ...part };
			onChange(payload);
		};
		const taken = () => fillIn(say.taken, { count: payload.events.length }, tools.locale);
		const read = async () => {
			try {
				const coming = await nextOf(
					tools.api ?? (() => Promise.reject(new TypeError())),
					tools.serverNow(),
					most,
					days,
				);
				if (!container.isConnected) return;
				change({ heading: input.value, events: coming?.events ?? [] });
				state.textContent = taken();
			} catch {
				state.textContent = say.failed;
			}
		};
		input.addEventListener("input", () => change({ heading: input.value }));
		void read();
	},
	render(container: HTMLElement, given: unknown, { locale, serverNow }: SlideTools) {
		const say = words(locale);
		const { heading, events } = payloadOf(given);
		const frame = document.createElement("div");
		frame.style.cssText =
			"position:absolute;inset:0;box-sizing:border-box;padding:8cqmin;overflow:hidden;" +
			"display:grid;align-content:center;gap:4cqmin";
		const title = document.createElement("div");
		title.dir = "auto";
		title.style.cssText = "font-size:8cqmin;font-weight:600;line-height:1.15;overflow-wrap:anywhere";
		title.textContent = heading === "" ? say.heading : heading;
		const coming = events.filter(isComing(serverNow()));
		const list = document.createElement("div");
		list.style.cssText =
			"display:grid;grid-template-columns:auto minmax(0,1fr);gap:2.4cqmin 4cqmin;" +
			"font-size:4.6cqmin;line-height:1.25";
		for (const one of coming) {
			const when = document.createElement("div");
			when.style.cssText = "color:#b8c2ce;font-variant-numeric:tabular-nums";
			when.textContent = beginOf(one, locale);
			const what = document.createElement("div");
			what.dir = "auto";
			what.style.cssText = "overflow-wrap:anywhere";
			what.textContent = one.where === "" ? one.title : `${one.title} · ${one.where}`;
			list.append(when, what);
		}
		if (coming.length === 0) list.textContent = say.nothing;
		frame.append(title, list);
		container.append(frame);
	},
});
