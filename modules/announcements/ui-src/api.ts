import type { ImportAnswer, PastImport, UndoneImport } from "@narthex/kit";
import {
	type Context,
	moduleApi,
	type Refusal as CommonRefusal,
	type Result as ApiResult,
} from "@narthex/sdk";
import type { Shown } from "../display-src/board";
import type { Slide } from "./slide";

const codes = {
	SLIDE_NOT_PUBLISHED: "notPublished",
	IMAGE_INVALID: "imageInvalid",
	IMAGE_MOVES: "imageMoving",
	IMAGE_OF_A_PHONE: "imagePhone",
	IMAGE_UNKNOWN: "imageUnknown",
	STORAGE_UNAVAILABLE: "storage",
	EXPORT_TOO_LARGE: "exportTooLarge",
} as const;

/** Why a request failed. */
export type Refusal = CommonRefusal | (typeof codes)[keyof typeof codes];

export type Result<Value> = ApiResult<Value, Refusal>;

/** All slides in their order. rev counts the changes of the order. */
export interface Board {
	readonly slides: readonly Slide[];
	readonly rev: number;
}

/** What the import of a file changes, or would change. */
export interface Imported extends ImportAnswer {
	readonly notices: { readonly new: number; readonly changed: number; readonly same: number };
	readonly pictures: { readonly new: number };
}

/** The module's own routes. */
export class SlidesApi {
	readonly #api;

	constructor(context: Pick<Context, "api">) {
		this.#api = moduleApi(context, codes);
	}

	list(): Promise<Result<Board>> {
		return this.#api.send("GET", "/slides");
	}
	/** The last writer of a slide; null if unknown. */
	writer(id: string): Promise<Result<{ readonly name: string | null }>> {
		return this.#api.send("GET", `/slides/${id}/writer`);
	}
	create(slide: object): Promise<Result<Slide>> {
		return this.#api.send("POST", "/slides", slide);
	}
	edit(id: string, slide: object): Promise<Result<Slide>> {
		return this.#api.send("PUT", `/slides/${id}`, slide);
	}
	remove(id: string): Promise<Result<undefined>> {
		return this.#api.send("DELETE", `/slides/${id}`);
	}
	/** Moves a slide behind another one, or to the front. */
	place(id: string, after: string | null, rev: number): Promise<Result<{ readonly rev: number }>> {
		return this.#api.send("PUT", `/slides/${id}/place`, { after, rev });
	}

	/** Shows a slide on every screen at once. */
	show(id: string): Promise<Result<Shown>> {
		return this.#api.send("POST", `/slides/${id}/show`, {});
	}
	endShow(id: string): Promise<Result<undefined>> {
		return this.#api.send("DELETE", `/slides/${id}/show`);
	}
	upload(picture: Blob): Promise<Result<{ readonly id: string }>> {
		return this.#api.send("POST", "/images", picture);
	}

	/** All slides as a file, with or without their pictures. */
	exportAll(pictures: boolean): Promise<Result<Blob>> {
		return this.#api.file(pictures ? "/export" : "/export?pictures=0");
	}
	imports(): Promise<Result<{ readonly imports: readonly PastImport[] }>> {
		return this.#api.send("GET", "/imports");
	}
	undoImport(id: string): Promise<Result<UndoneImport>> {
		return this.#api.send("DELETE", `/imports/${id}`);
	}
	/** Imports such a file, or only returns what that would change. */
	importAll(file: Blob, preview: boolean): Promise<Result<Imported>> {
		return this.#api.send("POST", preview ? "/import?preview=1" : "/import", file);
	}
}
