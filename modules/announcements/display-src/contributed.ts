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

/** Whoever writes a slide may ask the contributing module's own routes for what goes into the payload. */
export interface EditTools extends RenderTools {
	api(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * What a contribution to announcements.slides defines. It gets no address and no credential, so all it shows
 * is in its payload: JSON of at most 8 KiB.
 */
export interface SlideKind {
	/** What the kind is called where one is added, in the given language. */
	label(locale: string): string;
	/** The payload of a new slide. */
	defaults(locale: string): object;
	/** Whether there is something to show at a time by the server's clock; otherwise the slide is left out. */
	isDue?(payload: unknown, now: number): boolean;
	/** Fills the container with fields, and says whenever they have changed. */
	edit(
		container: HTMLElement,
		payload: unknown,
		onChange: (payload: object) => void,
		tools: EditTools,
	): (() => void) | void;
	/** Fills the container, which is a whole slide: 100cqw wide and 100cqh high. */
	render(container: HTMLElement, payload: unknown, tools: RenderTools): (() => void) | void;
}

/** The kinds of slides that other modules bring. */
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
	 * Whether a slide is to be shown at a time, as far as its kind says. One that is not loaded yet says so
	 * later, and one that throws is taken as due: what becomes of it shows when it is rendered.
	 */
	isDue({ kind, payload }: { readonly kind: string; readonly payload: unknown }, now: number): boolean {
		try {
			return this.#loaded.get(kind)?.isDue?.(payload, now) ?? true;
		} catch {
			return true;
		}
	}

	/** A request to the routes of the module that brings a kind, as the person who writes. */
	api(kind: string, path: string, init?: RequestInit): Promise<Response> {
		const contribution = this.#contributions.get(kind);
		return contribution?.api(path, init) ?? Promise.reject(new TypeError(`There is no ${kind}.`));
	}

	/** Loads a kind; undefined when there is none, or it cannot be had now. */
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
				this.#loading.delete(kind); // the next time it is tried again
				return undefined;
			},
		);
		this.#loading.set(kind, loading);
		return loading;
	}
}
