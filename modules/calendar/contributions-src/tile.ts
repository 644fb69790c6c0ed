import { defineContribution } from "@narthex/sdk";
import { beginOf, type Next, nextOf } from "./coming";

/** The tools that a tile gets from Home; see its README. */
interface TileTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	serverNow(): number;
	readonly locale: string;
	readonly moduleId: string;
	refresh(listener: () => unknown): void;
	hide(): void;
	door(line: string): void;
}

/** How many events the card shows, and how many if all are today. */
const shown = 3;
const shownToday = 6;
const days = 14;

/** The next events in this house. */
export default defineContribution({
	title: (locale: string) => (locale.startsWith("de") ? "Demnächst" : "Coming up"),
	async render(container: HTMLElement, { api, serverNow, locale, moduleId, refresh, hide, door }: TileTools) {
		const show = async () => {
			const coming = await nextOf(api, serverNow(), shownToday, days);
			if (coming === undefined || coming.events.length === 0) return hide();
			const { today, events } = coming;
			const isToday = ({ start }: Next) => start.slice(0, 10) <= today;
			const count = events.filter(isToday).length;
			const [first] = events;
			const next = events.slice(0, Math.max(shown, count));
			door(count > 0 ? `${relative(locale, 0)}: ${count}` : first === undefined ? "" : beginOf(first, locale));
			const list = document.createElement("ul");
			list.className = "d-stack";
			list.append(
				...next.map((one) => {
					const item = document.createElement("li");
					const link = document.createElement("a");
					link.href = `#/m/${moduleId}/list/${one.start.slice(0, 10)}`;
					link.dir = "auto";
					link.textContent = one.title;
					const when = document.createElement("div");
					when.className = "d-muted";
					when.textContent = [momentOf(one, today, locale), one.where].filter((part) => part !== "").join(" · ");
					item.append(link, when);
					return item;
				}),
			);
			container.replaceChildren(list);
		};
		refresh(show);
		await show();
	},
});

/** "Today" and "tomorrow" in a language, at the beginning of a line. */
function relative(locale: string, days: number): string {
	const word = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
	return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1);
}

/** When an event begins, as "Today, 19:00". */
function momentOf(event: Next, today: string, locale: string): string {
	const from = Date.parse(`${today}T00:00Z`);
	const days = Math.round((Date.parse(`${event.start.slice(0, 10)}T00:00Z`) - from) / 86_400_000);
	if (days > 1) return beginOf(event, locale);
	const day = relative(locale, Math.max(days, 0));
	if (event.allDay || days < 0) return day;
	const time = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
	return `${day}, ${time.format(Date.parse(`${event.start}Z`))}`;
}
