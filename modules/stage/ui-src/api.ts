import { ApiError, jsonRequest, type ModuleUiContext } from "@narthex/sdk";
import type { Control, ControlUpdate, Imported, Item } from "./plan";
import type { ListedService, ListedSong, Service, Song } from "./plan";

/** Why a request failed. */
export type Refusal =
	| "offline"
	| "denied"
	| "gone"
	| "conflict"
	| "tooLarge"
	| "busy"
	| "failed"
	| "invalid"
	| "notDriver"
	| "notSent"
	| "serviceFull"
	| "songInUse"
	| "songUnknown"
	| "importInvalid";

export type Result<Value> =
	{ readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: Refusal };

export interface Page<Row> {
	readonly rows: readonly Row[];
	readonly nextCursor: string | null;
}

/** The actions of a driver, without their id and the rev that the driver saw. */
export type Press =
	| { readonly action: "next" | "previous" | "end" }
	| { readonly action: "item"; readonly item: string }
	| { readonly action: "section"; readonly section: number }
	| { readonly action: "screen"; readonly screen: "live" | "black" | "logo" }
	| { readonly action: "message"; readonly message: string };

/** The module's own routes. */
export class StageApi {
	constructor(readonly context: Pick<ModuleUiContext, "api">) {}

	async services(when: "upcoming" | "past", cursor?: string): Promise<Result<Page<ListedService>>> {
		const path = `/services?when=${when}&limit=60${cursor === undefined ? "" : `&cursor=${cursor}`}`;
		const got = await this.#ask<{ services: ListedService[]; nextCursor: string | null }>("GET", path);
		return got.ok ? { ok: true, value: { rows: got.value.services, nextCursor: got.value.nextCursor } } : got;
	}
	service(id: string): Promise<Result<Service>> {
		return this.#ask("GET", `/services/${id}`);
	}
	createService(service: object): Promise<Result<ListedService>> {
		return this.#ask("POST", "/services", service);
	}
	editService(id: string, service: object): Promise<Result<{ readonly id: string; readonly rev: number }>> {
		return this.#ask("PUT", `/services/${id}`, service);
	}
	removeService(id: string): Promise<Result<undefined>> {
		return this.#ask("DELETE", `/services/${id}`);
	}
	createItem(service: string, item: object): Promise<Result<Item>> {
		return this.#ask("POST", `/services/${service}/items`, item);
	}
	/** Adds the items of another service, and returns the ids of the new ones. */
	copyItems(service: string, from: string): Promise<Result<{ readonly items: readonly string[] }>> {
		return this.#ask("POST", `/services/${service}/copy`, { from });
	}
	editItem(id: string, item: object): Promise<Result<Item>> {
		return this.#ask("PUT", `/items/${id}`, item);
	}
	placeItem(id: string, after: string | null, rev: number): Promise<Result<{ readonly rev: number }>> {
		return this.#ask("PUT", `/items/${id}/place`, { after, rev });
	}
	removeItem(id: string): Promise<Result<undefined>> {
		return this.#ask("DELETE", `/items/${id}`);
	}
	async songs(search: string, cursor?: string): Promise<Result<Page<ListedSong>>> {
		const query = search === "" ? "" : `&q=${encodeURIComponent(search)}`;
		const path = `/songs?limit=60${query}${cursor === undefined ? "" : `&cursor=${cursor}`}`;
		const got = await this.#ask<{ songs: ListedSong[]; nextCursor: string | null }>("GET", path);
		return got.ok ? { ok: true, value: { rows: got.value.songs, nextCursor: got.value.nextCursor } } : got;
	}
	song(id: string): Promise<Result<Song>> {
		return this.#ask("GET", `/songs/${id}`);
	}
	createSong(song: object): Promise<Result<Song>> {
		return this.#ask("POST", "/songs", song);
	}
	editSong(id: string, song: object): Promise<Result<Song>> {
		return this.#ask("PUT", `/songs/${id}`, song);
	}
	removeSong(id: string): Promise<Result<undefined>> {
		return this.#ask("DELETE", `/songs/${id}`);
	}

	live(): Promise<Result<Control & { readonly you: string }>> {
		return this.#ask("GET", "/live");
	}
	press(service: string, opId: string, rev: number, press: Press): Promise<Result<ControlUpdate>> {
		return this.#ask("POST", `/live/${service}/go`, { opId, rev, ...press });
	}
	take(service: string, rev: number): Promise<Result<ControlUpdate>> {
		return this.#ask("POST", `/live/${service}/take`, { rev });
	}

	/** All data of the module, as a file. */
	exported(): Promise<Result<object>> {
		return this.#ask("GET", "/export");
	}
	/** Imports a file, or returns what that would change. */
	import(what: "all" | "songs", text: string, preview: boolean): Promise<Result<Imported>> {
		const path = `${what === "all" ? "/import" : "/songs/import"}${preview ? "?preview=1" : ""}`;
		const api: ModuleUiContext["api"] = (to, init) =>
			this.context.api(to, { ...init, body: text, headers: { "Content-Type": "text/plain" } });
		return answered(jsonRequest<Imported>({ api }, "POST", path));
	}

	#ask<Value>(
		method: "GET" | "POST" | "PUT" | "DELETE",
		path: string,
		body?: object,
	): Promise<Result<Value>> {
		return answered(jsonRequest<Value>(this.context, method, path, body));
	}
}

async function answered<Value>(request: Promise<Value>): Promise<Result<Value>> {
	try {
		return { ok: true, value: await request };
	} catch (error) {
		if (!(error instanceof ApiError)) return { ok: false, why: "failed" };
		if (error.code === "OFFLINE") return { ok: false, why: "offline" };
		return { ok: false, why: codes[error.code] ?? refusals[error.status] ?? "failed" };
	}
}

const codes: Readonly<Record<string, Refusal>> = {
	NOT_THE_DRIVER: "notDriver",
	SERVICE_FULL: "serviceFull",
	SONG_IN_USE: "songInUse",
	SONG_UNKNOWN: "songUnknown",
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
