import { type ImportChoices, importQuery, type PastImport, type UndoneImport } from "@narthex/kit";
import {
	type Context,
	moduleApi,
	type Refusal as CommonRefusal,
	type Result as ApiResult,
} from "@narthex/sdk";
import type { Dropped, Event, Outcome, Room, Taken, Waiting, Window } from "./event";
import type { SignUpDate } from "./signedup";

const codes = {
	ROOM_TAKEN: "roomTaken",
	SIGNUP_REPEATS: "signUpRepeats",
	EXCEPTIONS_DROPPED: "exceptionsDropped",
	TIME_SKIPPED: "timeSkipped",
	RULE_INVALID: "ruleInvalid",
	ROOM_UNKNOWN: "roomUnknown",
	DATE_NOT_FOUND: "dateGone",
	IMPORT_INVALID: "importInvalid",
	REQUEST_INVALID: "invalid",
} as const;

/** Why a request failed. */
export type Refusal = CommonRefusal | (typeof codes)[keyof typeof codes];

export type Result<Value> = ApiResult<Value, Refusal>;

/** The module's own routes. */
export class CalendarApi {
	readonly #api;

	constructor(context: Pick<Context, "api">) {
		this.#api = moduleApi(context, codes);
	}

	window(from: string, to: string): Promise<Result<Window>> {
		return this.#api.send("GET", `/occurrences?from=${from}&to=${to}`);
	}
	waiting(): Promise<Result<{ readonly waiting: readonly Waiting[] }>> {
		return this.#api.send("GET", "/waiting");
	}
	event(id: string): Promise<Result<Event>> {
		return this.#api.send("GET", `/events/${id}`);
	}
	create(event: object): Promise<Result<Event>> {
		return this.#api.send("POST", "/events", event);
	}
	edit(id: string, event: object): Promise<Result<Event>> {
		return this.#api.send("PUT", `/events/${id}`, event);
	}
	remove(id: string): Promise<Result<undefined>> {
		return this.#api.send("DELETE", `/events/${id}`);
	}
	restore(id: string): Promise<Result<Event>> {
		return this.#api.send("POST", `/events/${id}/restore`, {});
	}
	editDate(id: string, date: string, event: object): Promise<Result<Event>> {
		return this.#api.send("PUT", `/events/${id}/dates/${date}`, event);
	}
	cancelDate(id: string, date: string, rev: number): Promise<Result<Event>> {
		return this.#api.send("POST", `/events/${id}/dates/${date}/cancel`, { rev });
	}
	restoreDate(id: string, date: string, rev: number): Promise<Result<Event>> {
		return this.#api.send("POST", `/events/${id}/dates/${date}/restore`, { rev });
	}
	editFollowing(id: string, date: string, event: object): Promise<Result<Event>> {
		return this.#api.send("PUT", `/events/${id}/following/${date}`, event);
	}
	endBefore(id: string, date: string, rev: number): Promise<Result<Event>> {
		return this.#api.send("POST", `/events/${id}/following/${date}/end`, { rev });
	}
	/** What takes sign-ups of an event: itself, or its dates, also those that do not take place. */
	signUpDates(id: string): Promise<Result<{ readonly dates: readonly SignUpDate[] }>> {
		return this.#api.send("GET", `/events/${id}/signups/dates`);
	}
	createService(service: object): Promise<Result<Event>> {
		return this.#api.send("POST", "/services", service);
	}
	editService(id: string, service: object): Promise<Result<Event>> {
		return this.#api.send("PUT", `/services/${id}`, service);
	}
	cancelService(id: string): Promise<Result<undefined>> {
		return this.#api.send("DELETE", `/services/${id}`);
	}
	/** Brings back a cancelled service. */
	restoreService(id: string): Promise<Result<undefined>> {
		return this.#api.send("POST", `/services/${id}/restore`, {});
	}
	rooms(): Promise<Result<{ readonly rooms: readonly Room[] }>> {
		return this.#api.send("GET", "/rooms");
	}
	/** Fetches an export. */
	file(path: string): Promise<Result<Blob>> {
		return this.#api.file(path);
	}
	imports(): Promise<Result<{ readonly imports: readonly PastImport[] }>> {
		return this.#api.send("GET", "/imports");
	}
	undoImport(id: string): Promise<Result<UndoneImport>> {
		return this.#api.send("DELETE", `/imports/${id}`);
	}
	/** Imports a file, or only returns what that would change. */
	import(file: Blob, format: string, preview: boolean, choices: ImportChoices): Promise<Result<Outcome>> {
		return this.#api.send("POST", `/import${importQuery(preview, choices, { format })}`, file);
	}
}

/** The bookings that have the rooms of a refused one. */
export const takenOf = (result: Result<unknown>): readonly Taken[] =>
	(!result.ok && (result.body as { readonly taken?: readonly Taken[] } | undefined)?.taken) || [];

/** The exceptional dates that a refused change of a series would drop. */
export const droppedOf = (result: Result<unknown>): readonly Dropped[] =>
	(!result.ok && (result.body as { readonly dates?: readonly Dropped[] } | undefined)?.dates) || [];

/** The two times that exist in place of one that the clock skips. */
export const existingOf = (result: Result<unknown>): readonly string[] =>
	(!result.ok && (result.body as { readonly exist?: readonly string[] } | undefined)?.exist) || [];
