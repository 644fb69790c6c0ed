import { defineContribution } from "@narthex/sdk";
import { wordsOf } from "../ui-src/words";

/** The tools that a tile gets (see the README of the module home). */
interface Tools {
	api(path: string, init?: RequestInit): Promise<Response>;
	refresh(listener: () => unknown): void;
	hide(): void;
	door(line: string): void;
	readonly lastVisit: number | undefined;
	readonly locale: string;
	readonly moduleId: string;
}

/** The response of GET /latest. */
interface Latest {
	readonly notice: { readonly title: string; readonly body: string; readonly since: string } | null;
	/** How many notices are live, for those who write them. */
	readonly live: number | null;
	/** How many came since the person's last visit. */
	readonly newer: number | null;
}

/** The latest slide, on Home. */
export default defineContribution({
	title: (locale: string) => wordsOf({ locale })("latest"),

	async render(container: HTMLElement, { api, refresh, hide, door, lastVisit, locale, moduleId }: Tools) {
		const say = wordsOf({ locale });
		const title = document.createElement("a");
		title.href = `#/m/${moduleId}`;
		title.dir = "auto";
		title.style.fontWeight = "600";
		const body = line("body");
		const fresh = document.createElement("span");
		fresh.className = "d-chip d-info";
		fresh.lang = say.language;
		fresh.textContent = say("isNew");
		const since = lastVisit === undefined ? "" : `?since=${new Date(lastVisit).toISOString()}`;
		const show = async () => {
			const response = await api(`/latest${since}`);
			if (response.status === 403) return hide();
			if (!response.ok) throw new Error(`GET /latest: ${response.status}`);
			const { notice, live, newer } = (await response.json()) as Latest;
			if (notice === null) return hide();
			title.textContent = notice.title;
			body.textContent = notice.body;
			body.hidden = notice.body.trim() === "";
			fresh.hidden = lastVisit === undefined || Date.parse(notice.since) <= lastVisit;
			container.replaceChildren(fresh, title, body);
			door(newer ? say("newer", { newer }) : live !== null ? say("liveNow", { live }) : "");
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
