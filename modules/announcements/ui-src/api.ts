import type { ModuleUiContext } from "@narthex/sdk";
import type { Slide } from "./slide";

/** Why a request did not do what was asked. */
export type Refusal = "offline" | "denied" | "gone" | "conflict" | "failed";

export type Result<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: Refusal };

/** The module's own routes. */
export class SlidesApi {
	constructor(readonly context: ModuleUiContext) {}

	async list(): Promise<Result<readonly Slide[]>> {
		const answer = await this.#ask<{ slides: Slide[] }>("GET", "/slides");
		return answer.ok ? { ok: true, value: answer.value.slides } : answer;
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
	order(ids: readonly string[]): Promise<Result<undefined>> {
		return this.#ask("PUT", "/order", { ids });
	}

	async #ask<Value>(method: string, path: string, body?: object): Promise<Result<Value>> {
		try {
			const json = body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
			const response = await this.context.api(path, { method, ...json });
			if (!response.ok) return { ok: false, why: refusals[response.status] ?? "failed" };
			return { ok: true, value: (response.status === 204 ? undefined : await response.json()) as Value };
		} catch {
			return { ok: false, why: navigator.onLine ? "failed" : "offline" };
		}
	}
}

const refusals: Readonly<Record<number, Refusal>> = { 401: "denied", 403: "denied", 404: "gone", 409: "conflict" };
