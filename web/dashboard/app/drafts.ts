import type { Drafts } from "@narthex/sdk";

/** Tells the person that a draft is kept. The returned function takes this back. */
type Tell = (discard: () => void) => () => void;

/** The drafts of modules and forms that are not shown now: only in memory, and for one person at a time. */
export class DraftStore {
	/** By the owner and the key, with a space between: neither a module nor a form of the host has one. */
	readonly #kept = new Map<string, unknown>();
	/** Those that belong to a form, with what takes back the message about each. */
	readonly #forms = new Map<string, () => void>();
	#person: string | undefined;

	constructor(readonly tell: Tell) {}

	/** Whether a form has a draft, shown or not. */
	get unsaved(): boolean {
		return [...this.#forms.keys()].some((id) => this.#kept.has(id));
	}

	/** Sets the person, and drops the drafts of another one. */
	belongTo(userId: string): void {
		if (this.#person !== userId) this.clear();
		this.#person = userId;
	}

	clear(): void {
		this.#kept.clear();
	}

	/** Forgets what an owner has kept for no form, after the person has agreed to lose it. */
	forget(owner: string): void {
		for (const id of this.#kept.keys())
			if (id.startsWith(`${owner} `) && !this.#forms.has(id)) this.#kept.delete(id);
	}

	of(owner: string): Drafts {
		const id = (key: string) => `${owner} ${key}`;
		return {
			get: (key) => this.#kept.get(id(key)),
			set: (key, value) => void this.#kept.set(id(key), value),
			delete: (key) => void this.#kept.delete(id(key)),
			form: (key) => {
				const form = id(key);
				this.#forms.get(form)?.();
				this.#forms.set(form, () => undefined);
				return () => {
					if (this.#kept.has(form)) this.#forms.set(form, this.tell(() => this.#kept.delete(form)));
				};
			},
		};
	}
}
