import { type Context, moduleApi, type Refusal, type Result } from "@narthex/sdk";
import type { Event } from "./event";
import { type Answers, type Question, routeOf } from "./signup";

/** What people sign up on. */
export interface Sheet {
	/** 0: as many as come. */
	readonly places: number;
	/** On the house's clock; "": when the event begins. */
	readonly closes: string;
	/** Who finds no place may wait for one. */
	readonly queue: boolean;
	readonly questions: readonly Question[];
}

/** Somebody who has signed up. */
export interface Participant {
	readonly id: string;
	readonly name: string;
	readonly email: string;
	readonly answers: Answers;
	readonly waits: boolean;
	/** How the last mail went; "": it is on its way. */
	readonly heard: "" | "sent" | "notSetUp" | "refused";
}

/** The sign-ups for an event, or for one date of it, for its organiser. */
export interface SignUpList {
	readonly event: Event;
	/** The date does not take place. */
	readonly off: boolean;
	/** null: it takes none. */
	readonly sheet: (Sheet & { readonly rev: number }) | null;
	readonly people: readonly Participant[];
}

/** An address for guests, and its QR code as an SVG path in a square of size units. */
export interface Shared {
	readonly address: string;
	readonly code: { readonly size: number; readonly path: string };
}

const codes = {
	SIGNUP_REPEATS: "repeats",
	SIGNUP_NOT_OFFERED: "notOffered",
	DATE_NOT_FOUND: "gone",
	LINK_CAPACITY: "tooManyLinks",
	REQUEST_INVALID: "invalid",
} as const;

export type ListRefusal = Refusal | (typeof codes)[keyof typeof codes];

export type ListResult<Value> = Result<Value, ListRefusal>;

/** The organiser's routes for one event, or one date of it. */
export class ListApi {
	readonly #api;
	readonly #path;

	constructor(context: Pick<Context, "api">, event: string, date: string) {
		this.#api = moduleApi(context, codes);
		this.#path = `${routeOf(event, date)}/signups`;
	}

	read(): Promise<ListResult<SignUpList>> {
		return this.#api.send("GET", this.#path);
	}
	save(sheet: Sheet, rev: number | undefined): Promise<ListResult<Sheet>> {
		return this.#api.send("PUT", this.#path, rev === undefined ? sheet : { ...sheet, rev });
	}
	stop(): Promise<ListResult<undefined>> {
		return this.#api.send("DELETE", this.#path);
	}
	file(): Promise<ListResult<Blob>> {
		return this.#api.file(`${this.#path}.csv`);
	}
	/** Makes one more address, which is shown once. */
	share(): Promise<ListResult<Shared>> {
		return this.#api.send("POST", `${this.#path}/link`, {});
	}
	endLinks(): Promise<ListResult<undefined>> {
		return this.#api.send("DELETE", `${this.#path}/link`);
	}
	remove(person: string): Promise<ListResult<undefined>> {
		return this.#api.send("DELETE", `${this.#path}/${person}`);
	}
}
