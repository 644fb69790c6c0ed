import { signal } from "@preact/signals";
import { homeHash, parseRoute, type Route } from "./route";
import type { Screen } from "./screen";

export interface GoOptions {
	/** The way back does not lead here. */
	readonly replace?: boolean;
	/** A module's own step among its own addresses: it knows what it leaves, so nobody is asked. */
	readonly own?: boolean;
}

/** Follows the fragment, and asks before unsaved work is left. */
export class Router {
	readonly route;
	/** Whether what is shown has unsaved work. */
	readonly dirty = signal(false);
	readonly #ask: () => Promise<boolean>;
	#hash = location.hash;

	/** ask asks the person whether to leave unsaved work. */
	constructor(
		readonly screens: readonly Screen[],
		ask: () => Promise<boolean>,
	) {
		this.#ask = ask;
		this.route = signal<Route>(this.#parse(location.hash));
	}

	start(): void {
		addEventListener("hashchange", () => this.#follow());
		addEventListener("beforeunload", (event) => {
			if (this.dirty.peek()) event.preventDefault();
		});
	}

	go(hash: string, options: GoOptions = {}): void {
		if (this.#mustAsk(hash, options.own === true)) return this.whenFree(() => this.go(hash, options));
		if (options.replace) history.replaceState(null, "", hash);
		else if (location.hash !== hash) history.pushState(null, "", hash);
		this.#hash = location.hash;
		this.route.value = this.#parse(location.hash);
		dispatchEvent(new HashChangeEvent("hashchange"));
	}

	/** Back to the start, whatever was shown: for the next person. */
	reset(): void {
		this.dirty.value = false;
		history.replaceState(null, "", homeHash);
		this.#follow();
	}

	/** Runs now, or once the person has agreed to leave unsaved work. */
	whenFree(run: () => void): void {
		if (!this.dirty.peek()) return run();
		void this.#ask().then((leaves) => {
			if (!leaves) return;
			this.dirty.value = false;
			run();
		});
	}

	/**
	 * The browser's own buttons and the address bar lead somewhere: while work is unsaved we stay until that
	 * is agreed.
	 */
	#follow(): void {
		const wanted = location.hash;
		if (wanted === this.#hash) return;
		if (this.#mustAsk(wanted, false)) {
			history.pushState(null, "", this.#hash || homeHash);
			return this.whenFree(() => this.go(wanted));
		}
		this.#hash = wanted;
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
