import { ApiError, type Context, jsonRequest } from "@narthex/sdk";
import type { Board, Change, Days } from "./board";

/** Why a request failed: an id of a text. */
export type Refusal =
	| "offline"
	| "denied"
	| "gone"
	| "conflict"
	| "tooLarge"
	| "busy"
	| "failed"
	| "notClaimed"
	| "claimUnusable"
	| "alreadyVolunteer"
	| "volunteerExists"
	| "tooMany"
	| "digestFull"
	| "roleInUse"
	| "addressMissing"
	| "stageSilent";

/** A request that was refused for lack of a permission names the permission. */
export type Result<Value> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly why: Refusal; readonly permission: Permission };

export type Permission = "rota.own.read" | "rota.own.respond" | "rota.manage" | "rota.mail.send";

/** One of the person's own dates. */
export interface MyDate {
	readonly id: string;
	readonly service: { readonly id: string; readonly title: string; readonly start: string };
	readonly role: string;
	readonly status: "open" | "yes" | "no";
	readonly rev: number;
}

export interface Me {
	readonly label: string;
	readonly away: readonly Days[];
	readonly rev: number;
}

export interface Mine {
	readonly serverTime: string;
	readonly volunteer: Me | null;
	readonly dates: readonly MyDate[];
}

export type Answer = "yes" | "no" | "away";

/** What a list of volunteers changes, or would change. */
export interface Imported {
	readonly added: number;
	readonly changed: number;
	readonly unchanged: number;
	readonly newRoles: readonly string[];
	readonly problems: readonly Problem[];
}

/** What the import of an archive changes, or would change. */
export interface Arrived {
	readonly roles: number;
	readonly volunteers: number;
	readonly assignments: number;
	readonly problems: readonly Problem[];
}

export interface Problem {
	readonly line: number;
	readonly code: string;
}

/** The module's own routes. */
export class RotaApi {
	constructor(readonly context: Pick<Context, "api">) {}

	mine(): Promise<Result<Mine>> {
		return this.#ask("rota.own.read", "GET", "/mine");
	}
	answer(date: MyDate, answer: Answer): Promise<Result<unknown>> {
		return this.#ask("rota.own.respond", "POST", `/mine/${date.id}/answer`, { answer, rev: date.rev });
	}
	setAway(away: readonly Days[], rev: number): Promise<Result<Me>> {
		return this.#ask("rota.own.respond", "PUT", "/mine/away", { away, rev });
	}
	setAwayOf(id: string, away: readonly Days[], rev: number): Promise<Result<Me>> {
		return this.#ask("rota.manage", "PUT", `/volunteers/${id}/away`, { away, rev });
	}
	claim(token: string): Promise<Result<undefined>> {
		return this.#ask("rota.own.respond", "POST", "/claim", { token });
	}
	board(): Promise<Result<Board>> {
		return this.#ask("rota.manage", "GET", "/board");
	}
	assign(change: Change): Promise<Result<unknown>> {
		return this.#ask("rota.manage", "PUT", "/assignments", change);
	}
	setRoles(roles: readonly { id: string | null; name: string }[], rev: number): Promise<Result<unknown>> {
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
	import<Value>(path: string, type: string, text: string, preview: boolean): Promise<Result<Value>> {
		const api: Context["api"] = (target, init) =>
			this.context.api(target, { ...init, body: text, headers: { "Content-Type": type } });
		const query = preview ? "?preview=1" : "";
		return answered("rota.manage", jsonRequest({ api }, "POST", path + query));
	}
	/** The text of a file for download. */
	async export(path: string): Promise<Result<string>> {
		const read = async () => {
			const response = await this.context.api(path);
			const text = await response.text();
			if (!response.ok) throw new ApiError(response.status, "");
			return text;
		};
		return answered("rota.manage", read());
	}

	#ask<Value>(
		permission: Permission,
		method: "GET" | "POST" | "PUT" | "DELETE",
		path: string,
		body?: object,
	): Promise<Result<Value>> {
		return answered(permission, jsonRequest<Value>(this.context, method, path, body));
	}
}

async function answered<Value>(permission: Permission, request: Promise<Value>): Promise<Result<Value>> {
	try {
		return { ok: true, value: await request };
	} catch (error) {
		if (!(error instanceof ApiError)) return { ok: false, why: "failed", permission };
		if (error.code === "OFFLINE") return { ok: false, why: "offline", permission };
		return { ok: false, why: codes[error.code] ?? statuses[error.status] ?? "failed", permission };
	}
}

const codes: Readonly<Record<string, Refusal>> = {
	NO_VOLUNTEER: "notClaimed",
	CLAIM_LINK_UNUSABLE: "claimUnusable",
	ALREADY_A_VOLUNTEER: "alreadyVolunteer",
	VOLUNTEER_EXISTS: "volunteerExists",
	TOO_MANY: "tooMany",
	DIGEST_FULL: "digestFull",
	ROLE_IN_USE: "roleInUse",
	ADDRESS_MISSING: "addressMissing",
	MODULE_UNAVAILABLE: "stageSilent",
};

const statuses: Readonly<Record<number, Refusal>> = {
	401: "denied",
	403: "denied",
	404: "gone",
	409: "conflict",
	413: "tooLarge",
	429: "busy",
	503: "busy",
};
