import {
	type ImportAnswer, type ImportChoices, importQuery, type PastImport, type UndoneImport,
} from "@narthex/kit";
import {
	type Context,
	moduleApi,
	type Refusal as CommonRefusal,
	type Result as ApiResult,
} from "@narthex/sdk";
import type { Board, Change, Days, Role } from "./board";

const codes = {
	NO_VOLUNTEER: "notClaimed",
	CLAIM_LINK_UNUSABLE: "claimUnusable",
	ALREADY_A_VOLUNTEER: "alreadyVolunteer",
	VOLUNTEER_EXISTS: "volunteerExists",
	TOO_MANY: "tooMany",
	DIGEST_FULL: "digestFull",
	ROLE_IN_USE: "roleInUse",
	ADDRESS_MISSING: "addressMissing",
	ALREADY_TAKEN: "alreadyTaken",
	NOBODY_FREE: "nobodyFree",
	MODULE_UNAVAILABLE: "stageSilent",
} as const;

/** Why a request failed. */
export type Refusal = CommonRefusal | (typeof codes)[keyof typeof codes];

/** A request that was refused names the permission that it needs. */
export type Result<Value> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly why: Refusal; readonly permission: Permission };

/** Why a request did not succeed. */
export type Failed = Extract<Result<unknown>, { ok: false }>;

export type Permission = "rota.own.read" | "rota.own.respond" | "rota.manage" | "rota.mail.send";

/** One of the person's own dates. */
export interface MyDate {
	readonly id: string;
	readonly service: { readonly id: string; readonly title: string; readonly start: string };
	readonly role: string;
	readonly status: "open" | "yes" | "no";
	/** The start that they said yes to, of a service that was moved since and that they are asked for again. */
	readonly was: string | null;
	/** Who else serves there. */
	readonly others: readonly { readonly role: string; readonly name: string }[];
	/** They look for somebody who takes it over. */
	readonly seeking: boolean;
	readonly rev: number;
}

export interface Me {
	readonly label: string;
	readonly away: readonly Days[];
	readonly wishes: readonly Days[];
	/** 0: as often as needed. */
	readonly perMonth: number;
	readonly rev: number;
}

/** A date that the person is asked to take over. */
export interface StandIn {
	readonly id: string;
	readonly service: MyDate["service"];
	readonly role: string;
	/** Of the volunteer who cannot come. */
	readonly name: string;
}

export interface Mine {
	readonly serverTime: string;
	readonly volunteer: Me | null;
	readonly dates: readonly MyDate[];
	readonly standIns: readonly StandIn[];
}

export type Answer = "yes" | "no" | "away";

/** Who could serve where, and why. Nothing of it is stored. */
export interface Filled {
	/** Of the board that it was made for. */
	readonly rev: number;
	/** Turns from this day on were counted. */
	readonly since: string;
	readonly proposals: readonly Proposal[];
	readonly gaps: readonly Gap[];
	/** Assignments that break rules which proposals keep. */
	readonly conflicts: readonly Conflict[];
	/** How many services wait until these are filled. */
	readonly later: number;
}

export interface Proposal {
	readonly serviceId: string;
	readonly roleId: string;
	readonly volunteerId: string;
	readonly why: "only" | "wished" | "gladly" | "fewest" | "free";
	/** How many others are free. */
	readonly others: number;
	/** How many turns the volunteer has besides this one. */
	readonly turns: number;
	/** The day of the turn before this one; "" for none. */
	readonly last: string;
	/** The volunteer of "gladly". */
	readonly other: string;
}

/** Places that stay empty: how many can do it, and how many of them are kept from it by what. */
export interface Gap {
	readonly serviceId: string;
	readonly roleId: string;
	readonly places: number;
	readonly able: number;
	readonly away: number;
	readonly declined: number;
	readonly busy: number;
	readonly limit: number;
	readonly apart: number;
}

export interface Conflict {
	readonly assignmentId: string;
	readonly kind: "away" | "unable" | "twice" | "limit" | "apart";
	/** The other volunteer of "apart". */
	readonly other: string;
}

/** What a list of volunteers changes, or would change. */
export interface Imported extends ImportAnswer {
	readonly added: number;
	readonly changed: number;
	readonly unchanged: number;
	readonly newRoles: readonly string[];
	/** The first names of the file. */
	readonly examples: readonly string[];
}

/** What the import of an archive changes, or would change. */
export interface Arrived extends ImportAnswer {
	readonly roles: number;
	readonly needs: number;
	readonly volunteers: number;
	readonly assignments: number;
}

/** The module's own routes. */
export class RotaApi {
	readonly #api;

	constructor(context: Pick<Context, "api">) {
		this.#api = moduleApi(context, codes);
	}

	mine(): Promise<Result<Mine>> {
		return this.#ask("rota.own.read", "GET", "/mine");
	}
	/** How many people said yes to a service, how many have not answered, and how many have no address. */
	asked(
		service: string,
	): Promise<Result<{ readonly yes: number; readonly open: number; readonly noAddress: number }>> {
		return this.#ask("rota.own.read", "GET", `/services/${service}/asked`);
	}
	answer(date: MyDate, answer: Answer): Promise<Result<unknown>> {
		return this.#ask("rota.own.respond", "POST", `/mine/${date.id}/answer`, { answer, rev: date.rev });
	}
	/** Asks everybody who could take over a date. */
	seekSubstitute(date: MyDate): Promise<Result<{ readonly asked: number }>> {
		return this.#ask("rota.own.respond", "POST", `/mine/${date.id}/substitute`, { rev: date.rev });
	}
	takeOver(date: StandIn): Promise<Result<undefined>> {
		return this.#ask("rota.own.respond", "POST", `/mine/${date.id}/take`, {});
	}
	setAway(away: readonly Days[], rev: number): Promise<Result<Me>> {
		return this.#ask("rota.own.respond", "PUT", "/mine/away", { away, rev });
	}
	setAwayOf(id: string, away: readonly Days[], rev: number): Promise<Result<Me>> {
		return this.#ask("rota.manage", "PUT", `/volunteers/${id}/away`, { away, rev });
	}
	setWishes(wishes: readonly Days[], perMonth: number, rev: number): Promise<Result<Me>> {
		return this.#ask("rota.own.respond", "PUT", "/mine/wishes", { wishes, perMonth, rev });
	}
	setWishesOf(id: string, wishes: readonly Days[], perMonth: number, rev: number): Promise<Result<Me>> {
		return this.#ask("rota.manage", "PUT", `/volunteers/${id}/wishes`, { wishes, perMonth, rev });
	}
	claim(token: string): Promise<Result<undefined>> {
		return this.#ask("rota.own.respond", "POST", "/claim", { token });
	}
	/** With what the stream said of other modules, the board is not older than that. */
	board(outside?: string): Promise<Result<Board>> {
		const query = outside === undefined ? "" : `?outside=${encodeURIComponent(outside)}`;
		return this.#ask("rota.manage", "GET", `/board${query}`);
	}
	assign(change: Change): Promise<Result<unknown>> {
		return this.#ask("rota.manage", "PUT", "/assignments", change);
	}
	/** Proposes who serves in the services from one day to another. */
	fill(from: string, to: string): Promise<Result<Filled>> {
		return this.#ask("rota.manage", "GET", `/fill?from=${from}&to=${to}`);
	}
	/** Without a number, a role needs as many people as usual. */
	setNeeds(
		service: string,
		needs: readonly { roleId: string; needed: number | null; rev: number }[],
	): Promise<Result<undefined>> {
		return this.#ask("rota.manage", "PUT", `/services/${service}/needs`, { needs });
	}
	seeNews(upTo: number): Promise<Result<undefined>> {
		return this.#ask("rota.manage", "PUT", "/news/seen", { upTo });
	}
	setRoles(
		roles: readonly (Omit<Role, "id"> & { id: string | null })[],
		rev: number,
	): Promise<Result<unknown>> {
		return this.#ask("rota.manage", "PUT", "/roles", { roles, rev });
	}
	saveVolunteer(id: string | undefined, draft: object): Promise<Result<unknown>> {
		return id === undefined
			? this.#ask("rota.manage", "POST", "/volunteers", draft)
			: this.#ask("rota.manage", "PUT", `/volunteers/${id}`, draft);
	}
	removeVolunteer(id: string): Promise<Result<undefined>> {
		return this.#ask("rota.manage", "DELETE", `/volunteers/${id}`);
	}
	withdrawLink(id: string): Promise<Result<undefined>> {
		return this.#ask("rota.manage", "DELETE", `/volunteers/${id}/link`);
	}
	send(kind: "invitation" | "request", ids: readonly string[]): Promise<Result<{ readonly mails: number }>> {
		return this.#ask("rota.mail.send", "POST", "/mail/send", { kind, ids });
	}
	sendTest(): Promise<Result<{ readonly outcome: string; readonly to: string }>> {
		return this.#ask("rota.mail.send", "POST", "/mail/test", {});
	}

	/** Sends a file unchanged. With preview it only requests what would change. */
	import<Value>(
		path: string,
		file: Blob,
		preview: boolean,
		choices: ImportChoices,
	): Promise<Result<Value>> {
		return this.#ask("rota.manage", "POST", path + importQuery(preview, choices), file);
	}
	imports(): Promise<Result<{ readonly imports: readonly PastImport[] }>> {
		return this.#ask("rota.manage", "GET", "/imports");
	}
	undoImport(id: string): Promise<Result<UndoneImport>> {
		return this.#ask("rota.manage", "DELETE", `/imports/${id}`);
	}
	/** A file for download. */
	async export(path: string): Promise<Result<Blob>> {
		return named(await this.#api.file(path), "rota.manage");
	}

	async #ask<Value>(
		permission: Permission,
		method: "GET" | "POST" | "PUT" | "DELETE",
		path: string,
		body?: object,
	): Promise<Result<Value>> {
		return named(await this.#api.send<Value>(method, path, body), permission);
	}
}

const named = <Value>(result: ApiResult<Value, Refusal>, permission: Permission): Result<Value> =>
	result.ok ? result : { ...result, permission };
