import type { Drafts } from "@narthex/sdk";

/** The drafts of modules and forms that are not shown now: only in memory, and for one person at a time. */
export class DraftStore {
	readonly #modules = new Map<string, Map<string, unknown>>();
	#owner: string | undefined;

	/** Sets the owner, and drops the drafts of another person. */
	belongTo(userId: string): void {
		if (this.#owner !== userId) this.clear();
		this.#owner = userId;
	}

	clear(): void {
		this.#modules.clear();
	}

	of(moduleId: string): Drafts {
		return {
			get: (key) => this.#modules.get(moduleId)?.get(key),
			set: (key, value) => {
				const kept = this.#modules.get(moduleId) ?? new Map<string, unknown>();
				this.#modules.set(moduleId, kept.set(key, value));
			},
			delete: (key) => void this.#modules.get(moduleId)?.delete(key),
		};
	}
}
