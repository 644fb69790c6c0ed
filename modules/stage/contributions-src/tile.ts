import { houseTime } from "@narthex/kit";
import { defineContribution } from "@narthex/sdk";

/** The tools that a tile of "home" gets, as far as this one uses them; see its README. */
interface TileTools {
	api(path: string): Promise<Response>;
	readonly locale: string;
	readonly moduleId: string;
	refresh(listener: () => unknown): void;
	hide(): void;
	door(line: string): void;
}

interface Service {
	readonly id: string;
	readonly title: string;
	readonly startsAt: string;
}

const isGerman = (locale: string): boolean => locale.startsWith("de");

export default defineContribution({
	title: (locale: string) => (isGerman(locale) ? "Nächster Gottesdienst" : "Next service"),
	async render(container: HTMLElement, { api, locale, moduleId, refresh, hide, door }: TileTools) {
		const form = houseTime(/^(de|en)\b/.test(locale) ? locale : "en", {
			...{ weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit" },
		});
		const short = houseTime(/^(de|en)\b/.test(locale) ? locale : "en", {
			...{ weekday: "short", day: "numeric", month: "short" },
		});
		const show = async () => {
			const response = await api("/services?limit=1");
			if (response.status === 403) return hide();
			if (!response.ok) throw new Error(`GET /services: ${response.status}`);
			const { services } = (await response.json()) as { readonly services: readonly Service[] };
			const [next] = services;
			if (next === undefined) return hide();
			const link = document.createElement("a");
			link.href = `#/m/${moduleId}/service/${next.id}`;
			link.dir = "auto";
			link.textContent = next.title;
			const when = document.createElement("p");
			when.className = "d-muted";
			when.textContent = form(next.startsAt);
			container.replaceChildren(link, when);
			door(short(next.startsAt));
		};
		refresh(show);
		await show();
	},
});
