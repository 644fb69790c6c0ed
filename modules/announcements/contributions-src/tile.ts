import { defineContribution } from "@narthex/sdk";
import { wordsOf } from "../ui-src/words";

/** The tools that a tile gets (see the README of the module home). */
interface Tools {
	api(path: string, init?: RequestInit): Promise<Response>;
	refresh(listener: () => unknown): void;
	hide(): void;
	readonly locale: string;
	readonly moduleId: string;
}

/** The response of GET /latest. */
interface Latest {
	readonly notice: { readonly title: string; readonly body: string } | null;
	/** How many notices are live, for those who write them. */
	readonly live: number | null;
}

/** The latest slide, on Home. */
export default defineContribution({
	title: (locale: string) => wordsOf({ locale })("latest"),

	async render(container: HTMLElement, { api, refresh, hide, locale, moduleId }: Tools) {
		const say = wordsOf({ locale });
		const title = document.createElement("a");
		title.href = `#/m/${moduleId}`;
		title.dir = "auto";
		title.style.fontWeight = "600";
		const body = line("body");
		const count = line("d-muted");
		count.lang = say.language;
		const show = async () => {
			const response = await api("/latest");
			if (response.status === 403) return hide();
			if (!response.ok) throw new Error(`GET /latest: ${response.status}`);
			const { notice, live } = (await response.json()) as Latest;
			if (notice === null) return hide();
			title.textContent = notice.title;
			body.textContent = notice.body;
			body.hidden = notice.body.trim() === "";
			count.textContent = live === null ? "" : say("liveNow", { live });
			count.hidden = live === null;
			container.replaceChildren(title, body, count);
		};
		refresh(show);
		await show();
	},
});

function line(name: string): HTMLElement {
	const element = document.createElement("p");
	element.className = name;
	element.dir = "auto";
	return element;
}
