import type { Drafts } from "@narthex/sdk";

/** The drafts of modules and forms while they are not shown: in memory only, for one person at a time. */
export class DraftStore {
	readonly #modules = new Map<string, Map<string, unknown>>();
	#owner: string | undefined;

	/** Sets the owner. The drafts of another person are dropped. */
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
