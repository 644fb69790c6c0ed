import { type Context, moduleApi, type Refusal, type Result as ApiResult } from "@narthex/sdk";

export type Kind = "text" | "number" | "choice" | "yesno";

/** What everybody is asked who signs up. A new one has no id. */
export interface Question {
	readonly id?: string;
	readonly kind: Kind;
	readonly text: string;
	readonly required: boolean;
	readonly choices?: readonly string[];
}

/** Answers by the ids of their questions; of yes and no: "yes" and "no". */
export type Answers = Readonly<Record<string, string>>;

/** One's own sign-up. */
export interface OwnSignUp {
	readonly name: string;
	readonly email: string;
	readonly answers: Answers;
	/** For a place. */
	readonly waits: boolean;
	/** Which one of those who wait; 0: none. */
	readonly turn: number;
}

/** What people see who sign up, or who have. */
export interface SignUp {
	readonly event: {
		readonly id: string;
		readonly title: string;
		readonly text: string;
		readonly start: string;
		readonly end: string;
		readonly allDay: boolean;
		/** This is one date of it. */
		readonly series: boolean;
	};
	/** 0: as many as come. */
	readonly places: number;
	readonly free: number;
	/** Who finds no place may wait for one. */
	readonly queue: boolean;
	readonly waiting: number;
	/** A moment. */
	readonly closes: string;
	readonly open: boolean;
	readonly begun: boolean;
	readonly questions: readonly Question[];
	readonly own: OwnSignUp | null;
}

/** What is sent by somebody who signs up. */
export interface Signed {
	readonly name: string;
	readonly email: string;
	readonly language: string;
	readonly answers: Answers;
}

/** The answer to a sign-up. The address is that of the page on which it is seen, for a guest. */
export interface SignedUp {
	readonly waits: boolean;
	readonly address?: string;
}

const codes = {
	SIGNUP_FULL: "full",
	SIGNUP_CLOSED: "closed",
	SIGNED_UP_ALREADY: "twice",
	SIGNUP_NOT_OFFERED: "notOffered",
	NOT_SIGNED_UP: "notSigned",
	EVENT_NOT_FOUND: "eventGone",
	DATE_NOT_FOUND: "eventGone",
	EVENT_BEGUN: "begun",
	ANSWER_INVALID: "answersChanged",
	REQUEST_INVALID: "invalid",
} as const;

export type SignUpResult<Value> = ApiResult<Value, Refusal | (typeof codes)[keyof typeof codes]>;

/** Signing up for one event, and withdrawing. */
export interface SignUpApi {
	read(): Promise<SignUpResult<SignUp>>;
	signUp(who: Signed): Promise<SignUpResult<SignedUp>>;
	withdraw(): Promise<SignUpResult<undefined>>;
}

/** The routes that a link may use. */
export function linkApi(context: Pick<Context, "api">): SignUpApi {
	const api = moduleApi(context, codes);
	return {
		read: () => api.send("GET", "/link"),
		signUp: (who) => api.send("POST", "/link/signup", who),
		withdraw: () => api.send("POST", "/link/withdraw", {}),
	};
}

/** The routes of an event for those who sign up, or of one date of a series. */
export const routeOf = (event: string, date: string): string =>
	`/events/${event}${date === "" ? "" : `/dates/${date}`}`;

/** The routes of somebody who is signed in. */
export function ownApi(context: Pick<Context, "api">, event: string, date: string): SignUpApi {
	const api = moduleApi(context, codes);
	const path = `${routeOf(event, date)}/signup`;
	return {
		read: () => api.send("GET", path),
		signUp: (who) => api.send("POST", path, who),
		withdraw: () => api.send("DELETE", path),
	};
}
