import { type Context, moduleApi, type Refusal, type Result as ApiResult } from "@narthex/sdk";
import type { Mine, MyDate, StandIn } from "../ui-src/api";

/** What a link shows: the dates of the volunteer that it was made for. */
export interface Linked extends Mine {
	/** Of whom the mail came. */
	readonly team: string;
	/** They have an account, with which they see more. */
	readonly connected: boolean;
	/** The page on which they sign in. */
	readonly dashboard: string;
}

/** "open" takes an answer back. */
export type Said = "yes" | "no" | "open";

const codes = {
	ALREADY_TAKEN: "alreadyTaken",
	NOBODY_FREE: "nobodyFree",
	MODULE_UNAVAILABLE: "stageSilent",
} as const;

export type Result<Value> = ApiResult<Value, Refusal | (typeof codes)[keyof typeof codes]>;

/** The routes that a link may use. */
export class LinkApi {
	readonly #api;

	constructor(context: Pick<Context, "api">) {
		this.#api = moduleApi(context, codes);
	}

	read() {
		return this.#api.send<Linked>("GET", "/link");
	}
	answer(date: MyDate, answer: Said) {
		return this.#api.send<undefined>("POST", `/link/${date.id}/answer`, { answer, rev: date.rev });
	}
	seekSubstitute(date: MyDate) {
		return this.#api.send<{ readonly asked: number }>("POST", `/link/${date.id}/substitute`, {
			rev: date.rev,
		});
	}
	takeOver(date: StandIn) {
		return this.#api.send<undefined>("POST", `/link/${date.id}/take`, {});
	}
}
