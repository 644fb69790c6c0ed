import { defineContribution } from "@narthex/sdk";
import { beginOf, nextOf } from "./coming";

/** The tools that a tile gets from Home; see its README. */
interface TileTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	serverNow(): number;
	readonly locale: string;
	readonly moduleId: string;
	refresh(listener: () => unknown): void;
	hide(): void;
}

const shown = 3;
const days = 14;

/** The next events in this house. */
export default defineContribution({
	title: (locale: string) => (locale.startsWith("de") ? "Demnächst" : "Coming up"),
	async render(container: HTMLElement, { api, serverNow, locale, moduleId, refresh, hide }: TileTools) {
		const show = async () => {
			const next = await nextOf(api, serverNow(), shown, days);
			if (next === undefined || next.length === 0) return hide();
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
					when.textContent = [beginOf(one, locale), one.where].filter((part) => part !== "").join(" · ");
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
