import type { Contribution } from "@narthex/sdk";

/** The capability of this module that others contribute kinds of slides to. */
export const slidesCapability = "announcements.slides";

/** What a kind of slide needs of the page it is shown in. */
export interface RenderTools {
	/** Milliseconds since 1970 by the server's clock. */
	serverNow(): number;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
}

/**
 * What a contribution to announcements.slides defines. It gets no address and no credential, so all it shows
 * is in its payload: JSON of at most 8 KiB.
 */
export interface SlideKind {
	/** What the kind is called where one is added, in the given language. */
	label(locale: string): string;
	/** The payload of a new slide. */
	defaults(): object;
	/** Fills the container with fields, and says whenever they have changed. */
	edit(
		container: HTMLElement,
		payload: unknown,
		onChange: (payload: object) => void,
		tools: RenderTools,
	): (() => void) | void;
	/** Fills the container, which is a whole slide: 100cqw wide and 100cqh high. */
	render(container: HTMLElement, payload: unknown, tools: RenderTools): (() => void) | void;
}

/** The kinds of slides that other modules bring. */
export class SlideKinds {
	readonly #loading = new Map<string, Promise<SlideKind | undefined>>();
	readonly #contributions: ReadonlyMap<string, Contribution>;

	constructor(contributions: readonly Contribution[]) {
		const own = contributions.filter(({ capability }) => capability === slidesCapability);
		this.#contributions = new Map(own.map((contribution) => [contribution.id, contribution]));
	}

	get ids(): readonly string[] {
		return [...this.#contributions.keys()];
	}

	has(kind: string): boolean {
		return this.#contributions.has(kind);
	}

	/** Loads a kind; undefined when there is none, or it cannot be had now. */
	async load(kind: string): Promise<SlideKind | undefined> {
		const known = this.#loading.get(kind);
		if (known !== undefined) return known;
		const artifact = this.#contributions.get(kind)?.load() as Promise<SlideKind> | undefined;
		const loading = Promise.resolve(artifact).catch(() => {
			this.#loading.delete(kind); // the next time it is tried again
			return undefined;
		});
		this.#loading.set(kind, loading);
		return loading;
	}
}
