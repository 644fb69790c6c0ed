import { type ImportAnswer, localTime } from "@narthex/kit";
import type { ScreenMode, Step, Timer } from "../display-src/shown";
import { isChord } from "./chords";

export const kinds = ["song", "reading", "talk", "notice"] as const;
export type Kind = (typeof kinds)[number];

/** The icon of each kind. */
export const kindIcons = { song: "music", reading: "book", talk: "lectern", notice: "megaphone" } as const;

/** Limits of the module's server side. */
export const limits = {
	title: 120,
	text: 6000,
	words: 20_000,
	credit: 200,
	ccli: 40,
	message: 120,
	items: 40,
} as const;

/** An order of service in the list. */
export interface ListedService {
	readonly id: string;
	readonly title: string;
	readonly startsAt: string;
	readonly items: number;
	readonly seconds: number;
	readonly rev: number;
}

export interface Item {
	readonly id: string;
	readonly kind: Kind;
	readonly title: string;
	readonly text: string;
	readonly songId: string | null;
	readonly songTitle: string | null;
	readonly seconds: number;
	/** Of a song: the semitones that it is played higher than it is written. */
	readonly transpose: number;
	readonly capo: number;
	readonly position: number;
	readonly rev: number;
}

export interface Service {
	readonly id: string;
	readonly title: string;
	readonly startsAt: string;
	readonly rev: number;
	readonly items: readonly Item[];
}

/** The name of an item: a song without its own title has the song's title. */
export const nameOf = ({ title, songTitle }: Pick<Item, "title" | "songTitle">): string =>
	title || songTitle || "";

export interface ListedSong {
	readonly id: string;
	readonly title: string;
	readonly credit: string;
	readonly sections: number;
	readonly rev: number;
}

export interface Section {
	readonly label: string;
	readonly text: string;
}

export interface Song {
	readonly id: string;
	readonly title: string;
	readonly credit: string;
	readonly sections: readonly Section[];
	readonly copyright: string;
	/** Its number at CCLI. */
	readonly ccli: string;
	/** The labels of the sections as they are sung; when it is empty, each is sung once. */
	readonly order: readonly string[];
	readonly rev: number;
}

/** A service for paper. Of a part that is sung again only the label is there. */
export interface Sheet {
	readonly title: string;
	readonly startsAt: string;
	readonly items: readonly {
		readonly id: string;
		readonly kind: Kind;
		readonly title: string;
		readonly seconds: number;
		readonly capo: number;
		readonly credit: string;
		readonly copyright: string;
		readonly ccli: string;
		readonly parts: readonly Step[];
	}[];
}

/** The service that is being driven, with the words of every item as screens show them. */
export interface Plan {
	readonly id: string;
	readonly title: string;
	readonly startsAt: string;
	readonly items: readonly {
		readonly id: string;
		readonly kind: Kind;
		readonly title: string;
		readonly seconds: number;
		readonly capo: number;
		readonly steps: readonly Step[];
	}[];
}

/** The current position in the service that is being driven. */
export interface Live {
	readonly serviceId: string | null;
	readonly itemId: string | null;
	readonly section: number;
	readonly itemSince: string;
	readonly screen: ScreenMode;
	readonly message: string;
	readonly rev: number;
}

/** The snapshot of the channel "control". */
export interface Control {
	readonly plan: Plan | null;
	readonly live: Live;
	/** A person's id. */
	readonly driver: string | null;
	readonly timer: Timer | null;
}

/** An update for phones after each change, and the response to a press. */
export interface ControlUpdate {
	readonly live: Live;
	readonly driver: string | null;
	readonly timer: Timer | null;
	/** The press that caused it. */
	readonly ack: string | null;
	readonly planChanged: boolean;
}

/** What an import changes, or would change. */
export interface Imported extends ImportAnswer {
	readonly songs: Counts;
	readonly services: Counts;
	/** The titles of the first songs of other programs. */
	readonly examples?: readonly string[];
}
export interface Counts {
	readonly new: number;
	readonly changed: number;
	readonly same: number;
}

/**
 * A song's words in the form that people write: sections between empty lines, each with its name in brackets.
 */
export const wordsOf = (sections: readonly Section[]): string =>
	sections.map(({ label, text }) => (label === "" ? text : `[${label}]\n${text}`)).join("\n\n");

export function sectionsOf(words: string): Section[] {
	return words
		.replaceAll("\r\n", "\n")
		.split(/\n\s*\n/)
		.map((paragraph) => paragraph.trim())
		.filter((paragraph) => paragraph !== "")
		.map((paragraph) => {
			const [, label = "", text = ""] = /^\[([^\]\n]+)\]\n?([\s\S]*)$/.exec(paragraph) ?? [];
			if (label === "" || isChord(label)) return { label: "", text: paragraph };
			return { label: label.trim(), text: text.trim() };
		})
		.filter(({ text }) => text !== "");
}

/**
 * The next Sunday without a service, at the time of the last service on a Sunday, or at ten. A new service is
 * proposed for it. All on the house's clock.
 */
export function nextSunday(now: number, planned: readonly { readonly startsAt: string }[]): string {
	const day = new Date(`${localTime(now).slice(0, 10)}T00:00Z`);
	const sundays = new Map<string, string>();
	for (const { startsAt } of planned) {
		const [date = "", time = ""] = localTime(startsAt).split("T");
		if (new Date(`${date}T00:00Z`).getUTCDay() === 0) sundays.set(date, time);
	}
	const on = () => day.toISOString().slice(0, 10);
	do day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7 || 7));
	while (sundays.has(on()));
	return `${on()}T${[...sundays.values()].pop() ?? "10:00"}`;
}
