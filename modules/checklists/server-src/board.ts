/** What the server sends and the page shows: the same types on both sides. */

/** When a list has to be done; see the table lists. */
export const moments = ["open", "close", "event", "hand"] as const;
export type Moment = (typeof moments)[number];

export interface Item {
	readonly id: string;
	readonly text: string;
}

export interface List {
	readonly id: string;
	readonly title: string;
	readonly moment: Moment;
	readonly minutes: number;
	readonly items: readonly Item[];
	readonly rev: number;
}

export interface Check {
	readonly item: string;
	/** The name of who did it; null for somebody who was erased. */
	readonly name: string | null;
	readonly at: string;
}

/** One time that a list is gone through. */
export interface Round {
	readonly id: string;
	readonly listId: string;
	/** It was started by hand and not by the plan. */
	readonly byHand: boolean;
	readonly title: string;
	readonly due: string;
	/** Who does it. */
	readonly person: string | null;
	readonly name: string | null;
	readonly finishedAt: string | null;
	readonly checks: readonly Check[];
}

export interface Board {
	readonly rev: number;
	readonly serverTime: string;
	readonly lists: readonly List[];
	readonly rounds: readonly Round[];
}

/** Who looks at the board, and where they wanted to be reminded the last time. */
export interface Me {
	readonly id: string;
	readonly address: string;
}

/** A change of one round, or of more than that: then the reader asks for the board again. */
export interface Update {
	readonly rev: number;
	readonly round?: Round;
}

/** The steps of a round that are not done yet. */
export const missing = (list: List, { checks }: Pick<Round, "checks">): readonly Item[] =>
	list.items.filter(({ id }) => !checks.some(({ item }) => item === id));
