import type { Contribution } from "@narthex/sdk";

/** The capability of this module to which other modules contribute kinds of slides. */
export const slidesCapability = "announcements.slides";

/** The tools that a kind of slide gets from the page on which it is shown. */
export interface RenderTools {
	/** Milliseconds since 1970 by the server's clock. */
	serverNow(): number;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
}

/**
 * Tools for editing a slide. The editor may fetch data for the payload from the contributing module's own
 * routes.
 */
export interface EditTools extends RenderTools {
	api(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * The definition of a contribution to announcements.slides. It gets no address and no credential, so
 * everything that it shows is in its payload: JSON of at most 8 KiB.
 */
export interface SlideKind {
	/** The name of the kind, in the given language. */
	label(locale: string): string;
	/** The payload of a new slide. */
	defaults(locale: string): object;
	/** Whether there is something to show at this time of the server's clock; otherwise the slide is omitted. */
	isDue?(payload: unknown, now: number): boolean;
	/** Fills the container with fields, and calls changed after every change of theirs. */
	edit(
		container: HTMLElement,
		payload: unknown,
		onChange: (payload: object) => void,
		tools: EditTools,
	): (() => void) | void;
	/** Fills the container, which has the size of the slide: 100cqw wide and 100cqh high. */
	render(container: HTMLElement, payload: unknown, tools: RenderTools): (() => void) | void;
}

/** The kinds of slides that other modules contribute. */
export class SlideKinds {
	readonly #loading = new Map<string, Promise<SlideKind | undefined>>();
	readonly #loaded = new Map<string, SlideKind>();
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

	/**
	 * Whether a slide should be shown at a time, according to its kind. A kind that is not loaded yet is checked
	 * again later. If isDue throws an error, the slide counts as due, and rendering it decides.
	 */
	isDue({ kind, payload }: { readonly kind: string; readonly payload: unknown }, now: number): boolean {
		try {
			return this.#loaded.get(kind)?.isDue?.(payload, now) ?? true;
		} catch {
			return true;
		}
	}

	/** Sends a request to the routes of the module that contributes a kind, as the person who writes. */
	api(kind: string, path: string, init?: RequestInit): Promise<Response> {
		const contribution = this.#contributions.get(kind);
		return contribution?.api(path, init) ?? Promise.reject(new TypeError(`There is no ${kind}.`));
	}

	/** Loads a kind; undefined if there is none, or if loading fails. */
	async load(kind: string): Promise<SlideKind | undefined> {
		const known = this.#loading.get(kind);
		if (known !== undefined) return known;
		const artifact = this.#contributions.get(kind)?.load() as Promise<SlideKind> | undefined;
		const loading = Promise.resolve(artifact).then(
			(loaded) => {
				if (loaded !== undefined) this.#loaded.set(kind, loaded);
				return loaded;
			},
			() => {
				this.#loading.delete(kind); // so that the next call tries again
				return undefined;
			},
		);
		this.#loading.set(kind, loading);
		return loading;
	}
}
