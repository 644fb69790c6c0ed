import type { Drafts } from "@narthex/sdk";

/** Tells the person that a draft is kept. The returned function takes this back. */
type Tell = (discard: () => void) => () => void;

/** The name in the session's storage under which drafts outlive a reload. */
const place = "narthex.drafts";

/** The drafts of modules and forms, for one person at a time. They outlive a reload, but not the tab. */
export class DraftStore {
	/** By the owner and the key, with a space between: neither a module nor a form of the host has one. */
	readonly #kept = new Map<string, unknown>();
	/** Those that belong to a form, with what takes back the message about each. */
	readonly #forms = new Map<string, () => void>();
	#person: string | undefined;

	constructor(readonly tell: Tell) {
		try {
			const { person, drafts } = JSON.parse(sessionStorage.getItem(place) ?? "");
			this.#person = person;
			for (const [id, value, ofForm] of drafts) {
				this.#kept.set(id, value);
				if (ofForm) this.#forms.set(id, () => undefined);
			}
		} catch {
			// there are none, or the browser keeps nothing
		}
		const keep = () => this.#keep();
		addEventListener("pagehide", keep);
		addEventListener("visibilitychange", keep); // phones end hidden pages without a word
	}

	/** Stores the drafts in the tab, those of plain data. */
	#keep(): void {
		try {
			const plain = [...this.#kept].filter(([, value]) => isPlain(value));
			const drafts = plain.map(([id, value]) => [id, value, this.#forms.has(id)]);
			if (drafts.length === 0) sessionStorage.removeItem(place);
			else sessionStorage.setItem(place, JSON.stringify({ person: this.#person, drafts }));
		} catch {
			// they are too large, or the browser keeps nothing
		}
	}

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
		this.#keep();
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

/** Whether JSON gives the same value back. */
const isPlain = (value: unknown): boolean =>
	typeof value !== "object" ||
	value === null ||
	((Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) &&
		Object.values(value).every(isPlain));
