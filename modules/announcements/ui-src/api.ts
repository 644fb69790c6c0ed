import { ApiError, jsonRequest, type ModuleUiContext } from "@narthex/sdk";
import type { Shown } from "../display-src/board";
import type { Slide } from "./slide";

/** Why a request failed. */
export type Refusal =
	| "offline"
	| "denied"
	| "gone"
	| "conflict"
	| "tooLarge"
	| "busy"
	| "failed"
	| "notPublished"
	| "imageInvalid"
	| "imageUnknown"
	| "exportTooLarge"
	| "storage";

export type Result<Value> =
	{ readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: Refusal };

/** All slides in their order. rev counts the changes of the order. */
export interface Board {
	readonly slides: readonly Slide[];
	readonly rev: number;
}

/** What the import of a file changes, or would change. */
export interface Imported {
	readonly notices: { readonly new: number; readonly changed: number; readonly same: number };
	readonly pictures: { readonly new: number };
	/** How many pictures neither the file nor the storage has. */
	readonly missing: number;
	readonly problems: readonly ImportProblem[];
}

/** Why a file is refused. line is the position in the list of slides or pictures, from 1. */
export interface ImportProblem {
	readonly line: number;
	readonly code: string;
}

/** The module's own routes. */
export class SlidesApi {
	constructor(readonly context: ModuleUiContext) {}

	list(): Promise<Result<Board>> {
		return this.#ask("GET", "/slides");
	}
	/** The last writer of a slide; null if unknown. */
	writer(id: string): Promise<Result<{ readonly name: string | null }>> {
		return this.#ask("GET", `/slides/${id}/writer`);
	}
	create(slide: object): Promise<Result<Slide>> {
		return this.#ask("POST", "/slides", slide);
	}
	edit(id: string, slide: object): Promise<Result<Slide>> {
		return this.#ask("PUT", `/slides/${id}`, slide);
	}
	remove(id: string): Promise<Result<undefined>> {
		return this.#ask("DELETE", `/slides/${id}`);
	}
	/** Moves a slide behind another one, or to the front. */
	place(id: string, after: string | null, rev: number): Promise<Result<{ readonly rev: number }>> {
		return this.#ask("PUT", `/slides/${id}/place`, { after, rev });
	}

	/** Shows a slide on every screen at once. */
	show(id: string): Promise<Result<Shown>> {
		return this.#ask("POST", `/slides/${id}/show`, {});
	}
	endShow(id: string): Promise<Result<undefined>> {
		return this.#ask("DELETE", `/slides/${id}/show`);
	}
	upload(picture: Blob): Promise<Result<{ readonly id: string }>> {
		const api: SlidesApi["context"]["api"] = (path, init) =>
			this.context.api(path, { ...init, body: picture, headers: { "Content-Type": picture.type } });
		return answered(jsonRequest({ api }, "POST", "/images"));
	}

	/** All slides as a file, with or without their pictures. */
	async exportAll(pictures: boolean): Promise<Result<Blob>> {
		let content: Blob | undefined;
		const api: SlidesApi["context"]["api"] = async (path, init) => {
			const response = await this.context.api(path, init);
			if (!response.ok) return response;
			content = await response.blob();
			return new Response();
		};
		const asked = await answered(jsonRequest({ api }, "GET", pictures ? "/export" : "/export?pictures=0"));
		if (!asked.ok) return asked;
		return content === undefined ? { ok: false, why: "failed" } : { ok: true, value: content };
	}
	/** Imports such a file, or only returns what that would change. */
	importAll(file: Blob, preview: boolean): Promise<Result<Imported>> {
		const api: SlidesApi["context"]["api"] = (path, init) =>
			this.context.api(path, { ...init, body: file, headers: { "Content-Type": "application/json" } });
		return answered(jsonRequest({ api }, "POST", preview ? "/import?preview=1" : "/import"));
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
	SLIDE_NOT_PUBLISHED: "notPublished",
	IMAGE_INVALID: "imageInvalid",
	IMAGE_UNKNOWN: "imageUnknown",
	STORAGE_UNAVAILABLE: "storage",
	EXPORT_TOO_LARGE: "exportTooLarge",
};

const refusals: Readonly<Record<number, Refusal>> = {
	401: "denied",
	403: "denied",
	404: "gone",
	409: "conflict",
	413: "tooLarge",
	429: "busy",
	503: "busy",
};
