import type { PastImport, UndoneImport } from "@narthex/kit";
import {
	type Context,
	moduleApi,
	type Refusal as CommonRefusal,
	type Result as ApiResult,
} from "@narthex/sdk";
import type { ScreenMode } from "../display-src/shown";
import type { Control, ControlUpdate, Imported, Item } from "./plan";
import type { ListedService, ListedSong, Service, Sheet } from "./plan";

const codes = {
	NOT_THE_DRIVER: "notDriver",
	SERVICE_FULL: "serviceFull",
	SONG_UNKNOWN: "songUnknown",
	IMPORT_INVALID: "importInvalid",
	REQUEST_INVALID: "invalid",
} as const;

/** Why a request failed. */
export type Refusal = CommonRefusal | "notSent" | (typeof codes)[keyof typeof codes];

export type Result<Value> = ApiResult<Value, Refusal>;

export interface Page<Row> {
	readonly rows: readonly Row[];
	readonly nextCursor: string | null;
}

/** Which services a list has. The cancelled ones can be brought back for a day. */
export type When = "upcoming" | "past" | "cancelled";

/** The actions of a driver, without their id and the rev that the driver saw. */
export type Press =
	| { readonly action: "next" | "previous" | "end" }
	| { readonly action: "item"; readonly item: string }
	| { readonly action: "section"; readonly section: number }
	| { readonly action: "screen"; readonly screen: ScreenMode }
	| { readonly action: "message"; readonly message: string };

/** The module's own routes. */
export class StageApi {
	readonly #api;

	constructor(context: Pick<Context, "api">) {
		this.#api = moduleApi(context, codes);
	}

	async services(when: When, cursor?: string): Promise<Result<Page<ListedService>>> {
		const path = `/services?when=${when}&limit=60${cursor === undefined ? "" : `&cursor=${cursor}`}`;
		const got = await this.#api.send<{ services: ListedService[]; nextCursor: string | null }>("GET", path);
		return got.ok ? { ok: true, value: { rows: got.value.services, nextCursor: got.value.nextCursor } } : got;
	}
	service(id: string): Promise<Result<Service>> {
		return this.#api.send("GET", `/services/${id}`);
	}
	sheet(id: string): Promise<Result<Sheet>> {
		return this.#api.send("GET", `/services/${id}/sheet`);
	}
	createService(service: object): Promise<Result<ListedService>> {
		return this.#api.send("POST", "/services", service);
	}
	editService(id: string, service: object): Promise<Result<{ readonly id: string; readonly rev: number }>> {
		return this.#api.send("PUT", `/services/${id}`, service);
	}
	removeService(id: string): Promise<Result<undefined>> {
		return this.#api.send("DELETE", `/services/${id}`);
	}
	/** Brings back a cancelled service. */
	restoreService(id: string): Promise<Result<undefined>> {
		return this.#api.send("POST", `/services/${id}/restore`, {});
	}
	createItem(service: string, item: object): Promise<Result<Item>> {
		return this.#api.send("POST", `/services/${service}/items`, item);
	}
	/** Adds the items of another service, and returns the ids of the new ones. */
	copyItems(service: string, from: string): Promise<Result<{ readonly items: readonly string[] }>> {
		return this.#api.send("POST", `/services/${service}/copy`, { from });
	}
	editItem(id: string, item: object): Promise<Result<Item>> {
		return this.#api.send("PUT", `/items/${id}`, item);
	}
	placeItem(id: string, after: string | null, rev: number): Promise<Result<{ readonly rev: number }>> {
		return this.#api.send("PUT", `/items/${id}/place`, { after, rev });
	}
	removeItem(id: string): Promise<Result<undefined>> {
		return this.#api.send("DELETE", `/items/${id}`);
	}
	async songs(search: string, cursor?: string): Promise<Result<Page<ListedSong>>> {
		const query = search === "" ? "" : `&q=${encodeURIComponent(search)}`;
		const path = `/songs?limit=60${query}${cursor === undefined ? "" : `&cursor=${cursor}`}`;
		const got = await this.#api.send<{ songs: ListedSong[]; nextCursor: string | null }>("GET", path);
		return got.ok ? { ok: true, value: { rows: got.value.songs, nextCursor: got.value.nextCursor } } : got;
	}
	live(): Promise<Result<Control & { readonly you: string }>> {
		return this.#api.send("GET", "/live");
	}
	press(service: string, opId: string, rev: number, press: Press): Promise<Result<ControlUpdate>> {
		return this.#api.send("POST", `/live/${service}/go`, { opId, rev, ...press });
	}
	take(service: string, rev: number): Promise<Result<ControlUpdate>> {
		return this.#api.send("POST", `/live/${service}/take`, { rev });
	}

	/** All data of the module. */
	exported(): Promise<Result<object>> {
		return this.#api.send("GET", "/export");
	}
	/** Imports a file, or returns what that would change. */
	import(what: "all" | "songs", file: Blob, preview: boolean): Promise<Result<Imported>> {
		const path = `${what === "all" ? "/import" : "/songs/import"}${preview ? "?preview=1" : ""}`;
		return this.#api.send("POST", path, file);
	}
	imports(): Promise<Result<{ readonly imports: readonly PastImport[] }>> {
		return this.#api.send("GET", "/imports");
	}
	undoImport(id: string): Promise<Result<UndoneImport>> {
		return this.#api.send("DELETE", `/imports/${id}`);
	}
	/** All songs as an archive for other programs. */
	exportedSongs(format: "openlyrics" | "chordpro"): Promise<Result<Blob>> {
		return this.#api.file(`/export/songs?format=${format}`);
	}
}
