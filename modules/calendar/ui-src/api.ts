import type { ModuleUiContext } from "@narthex/sdk";
import type { Event, Room, Taken, Waiting, Window } from "./event";

/** Why a request failed. */
export type Refusal =
	| "offline"
	| "denied"
	| "gone"
	| "conflict"
	| "busy"
	| "failed"
	| "roomTaken"
	| "ruleInvalid"
	| "roomName"
	| "roomInUse"
	| "roomUnknown"
	| "dateGone"
	| "invalid"
	| "tooLarge"
	| "importInvalid";

export type Result<Value> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly why: Refusal; readonly taken: readonly Taken[]; readonly body: unknown };

/** The module's own routes. */
export class CalendarApi {
	constructor(readonly context: ModuleUiContext) {}

	window(from: string, to: string): Promise<Result<Window>> {
		return this.ask("GET", `/occurrences?from=${from}&to=${to}`);
	}
	waiting(): Promise<Result<{ readonly waiting: readonly Waiting[] }>> {
		return this.ask("GET", "/waiting");
	}
	event(id: string): Promise<Result<Event>> {
		return this.ask("GET", `/events/${id}`);
	}
	create(event: object): Promise<Result<Event>> {
		return this.ask("POST", "/events", event);
	}
	edit(id: string, event: object): Promise<Result<Event>> {
		return this.ask("PUT", `/events/${id}`, event);
	}
	remove(id: string): Promise<Result<undefined>> {
		return this.ask("DELETE", `/events/${id}`);
	}
	restore(id: string): Promise<Result<Event>> {
		return this.ask("POST", `/events/${id}/restore`, {});
	}
	editDate(id: string, date: string, event: object): Promise<Result<Event>> {
		return this.ask("PUT", `/events/${id}/dates/${date}`, event);
	}
	cancelDate(id: string, date: string, rev: number): Promise<Result<Event>> {
		return this.ask("POST", `/events/${id}/dates/${date}/cancel`, { rev });
	}
	restoreDate(id: string, date: string, rev: number): Promise<Result<Event>> {
		return this.ask("POST", `/events/${id}/dates/${date}/restore`, { rev });
	}
	editFollowing(id: string, date: string, event: object): Promise<Result<Event>> {
		return this.ask("PUT", `/events/${id}/following/${date}`, event);
	}
	endBefore(id: string, date: string, rev: number): Promise<Result<Event>> {
		return this.ask("POST", `/events/${id}/following/${date}/end`, { rev });
	}
	rooms(): Promise<Result<{ readonly rooms: readonly Room[] }>> {
		return this.ask("GET", "/rooms");
	}
	addRoom(name: string): Promise<Result<Room>> {
		return this.ask("POST", "/rooms", { name });
	}
	renameRoom({ id, rev }: Room, name: string): Promise<Result<Room>> {
		return this.ask("PUT", `/rooms/${id}`, { name, rev });
	}
	removeRoom(id: number): Promise<Result<undefined>> {
		return this.ask("DELETE", `/rooms/${id}`);
	}

	/** Sends a request whose body is JSON, or content of another type. */
	async ask<Value>(method: string, path: string, body?: object, type?: string): Promise<Result<Value>> {
		const init: RequestInit =
			body === undefined
				? { method }
				: type === undefined
					? { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
					: { method, headers: { "Content-Type": type }, body: body as Blob };
		try {
			const response = await this.context.api(path, init);
			const text = await response.text();
			const value: unknown = text === "" ? undefined : JSON.parse(text);
			if (response.ok) return { ok: true, value: value as Value };
			const said = value as { readonly code?: string; readonly taken?: readonly Taken[] } | undefined;
			const why = codes[said?.code ?? ""] ?? refusals[response.status] ?? "failed";
			return { ok: false, why, taken: said?.taken ?? [], body: value };
		} catch {
			return { ok: false, why: navigator.onLine ? "failed" : "offline", taken: [], body: undefined };
		}
	}
}

const codes: Readonly<Record<string, Refusal>> = {
	ROOM_TAKEN: "roomTaken",
	RULE_INVALID: "ruleInvalid",
	ROOM_NAME_TAKEN: "roomName",
	ROOM_IN_USE: "roomInUse",
	ROOM_UNKNOWN: "roomUnknown",
	DATE_NOT_FOUND: "dateGone",
	IMPORT_INVALID: "importInvalid",
};

const refusals: Readonly<Record<number, Refusal>> = {
	400: "invalid",
	401: "denied",
	403: "denied",
	404: "gone",
	409: "conflict",
	413: "tooLarge",
	429: "busy",
	503: "busy",
};
