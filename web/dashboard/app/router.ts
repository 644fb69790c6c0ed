import { signal } from "@preact/signals";
import type { Address } from "./address";
import { homeHash, parseRoute, type Route } from "./route";

export interface GoOptions {
	/** Replaces the history entry, so that Back does not return to the current place. */
	readonly replace?: boolean;
	/** It is a move within what is shown: the focus and the scroll position stay. */
	readonly stay?: boolean;
	/** A module navigates within itself. It knows about its unsaved work, so the person is not asked. */
	readonly own?: boolean;
}

/** Follows the fragment, and asks before unsaved work is lost. */
export class Router {
	readonly route;
	/** Counts the addresses that were opened, without moves within a view. */
	readonly opened = signal(0);
	/** Whether the current screen has unsaved work. */
	readonly dirty = signal(false);
	readonly #ask: () => Promise<boolean>;
	#hash = location.hash;
	#place = placeOf(history.state) ?? 0;

	/** ask asks the person whether to discard unsaved work. */
	constructor(
		readonly screens: readonly Address[],
		ask: () => Promise<boolean>,
	) {
		this.#ask = ask;
		this.route = signal<Route>(this.#parse(location.hash));
	}

	start(): void {
		history.replaceState({ place: this.#place }, "");
		addEventListener("hashchange", () => this.#follow());
		addEventListener("popstate", ({ state }) => {
			if (location.hash === this.#hash) this.#place = placeOf(state) ?? this.#place;
		});
		addEventListener("beforeunload", (event) => {
			if (this.dirty.peek()) event.preventDefault();
		});
	}

	go(hash: string, options: GoOptions = {}): void {
		if (this.#mustAsk(hash, options.own === true)) return this.whenFree(() => this.go(hash, options));
		if (options.replace) history.replaceState({ place: this.#place }, "", hash);
		else if (location.hash !== hash) history.pushState({ place: ++this.#place }, "", hash);
		if (this.#hash !== location.hash && !options.stay) this.opened.value++;
		this.#hash = location.hash;
		this.route.value = this.#parse(location.hash);
		dispatchEvent(new HashChangeEvent("hashchange"));
	}

	/** Goes to the start for the next person, without asking about unsaved work. */
	reset(): void {
		this.dirty.value = false;
		history.replaceState({ place: this.#place }, "", homeHash);
		this.#follow();
	}

	/** Runs at once, or after the person has agreed to discard unsaved work: the screen's, or other work. */
	whenFree(run: () => void, other = false): void {
		if (!this.dirty.peek() && !other) return run();
		void this.#ask().then((leaves) => {
			if (!leaves) return;
			this.dirty.value = false;
			run();
		});
	}

	/**
	 * Follows the browser's own buttons, links and the address bar. With unsaved work, it returns to the same
	 * history entry until the person agrees. A new entry there would lead Back into the form for ever.
	 */
	#follow(): void {
		const wanted = location.hash;
		if (wanted === this.#hash) return;
		const place = placeOf(history.state) ?? this.#place + 1; // a link or the address bar adds an entry
		history.replaceState({ place }, "");
		if (this.#mustAsk(wanted, false)) {
			const by = place - this.#place;
			history.go(-by);
			return this.whenFree(() => history.go(by));
		}
		this.#place = place;
		this.#hash = wanted;
		this.opened.value++;
		this.route.value = this.#parse(wanted);
	}

	#parse(hash: string): Route {
		return parseRoute(hash, this.screens);
	}

	#mustAsk(hash: string, own: boolean): boolean {
		if (!this.dirty.peek() || hash === this.#hash) return false;
		const [from, to] = [this.route.peek(), this.#parse(hash)];
		return !(own && from.to === "module" && to.to === "module" && from.moduleId === to.moduleId);
	}
}

/** The place of a history entry among those of this page, if the entry has one. */
function placeOf(state: unknown): number | undefined {
	const { place } = (state ?? {}) as { readonly place?: unknown };
	return typeof place === "number" ? place : undefined;
}
