import { ApiError, jsonRequest, type ModuleUiContext } from "@narthex/sdk";
import type { Shown } from "../display-src/board";
import type { Slide } from "./slide";

/** Why a request did not do what was asked. */
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
	| "storage";

export type Result<Value> =
	{ readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: Refusal };

/** All notices in their order. rev counts the changes of the order. */
export interface Board {
	readonly slides: readonly Slide[];
	readonly rev: number;
}

/** The module's own routes. */
export class SlidesApi {
	constructor(readonly context: ModuleUiContext) {}

	list(): Promise<Result<Board>> {
		return this.#ask("GET", "/slides");
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
	/** Puts a notice after another one, or first. */
	place(id: string, after: string | null, rev: number): Promise<Result<{ readonly rev: number }>> {
		return this.#ask("PUT", `/slides/${id}/place`, { after, rev });
	}

	/** Shows a notice on every screen at once. */
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
