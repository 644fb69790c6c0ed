import { signal } from "@preact/signals";
import { parseRoute, type Route, startHash } from "./route";

/** Follows the fragment, and asks before unsaved work is left. */
export class Router {
	readonly route = signal<Route>(parseRoute(location.hash));
	/** Whether what is shown has unsaved work. */
	readonly dirty = signal(false);
	/** Set while the person is asked whether to leave. */
	readonly question = signal<{ leave(): void; stay(): void } | undefined>(undefined);
	#hash = location.hash;

	start(): void {
		addEventListener("hashchange", () => this.#follow());
		addEventListener("beforeunload", (event) => {
			if (this.dirty.peek()) event.preventDefault();
		});
	}

	/** Goes somewhere; with replace, the way back does not lead here. */
	go(hash: string, replace = false): void {
		if (this.#leaves(hash)) return this.whenFree(() => this.go(hash, replace));
		if (replace) history.replaceState(null, "", hash);
		else if (location.hash !== hash) history.pushState(null, "", hash);
		this.#follow();
		dispatchEvent(new HashChangeEvent("hashchange"));
	}

	/** Back to the start, whatever was shown: for the next person. */
	reset(): void {
		this.dirty.value = false;
		this.question.value = undefined;
		history.replaceState(null, "", startHash);
		this.#follow();
	}

	/** Runs now, or once the person has agreed to leave unsaved work. */
	whenFree(run: () => void): void {
		if (!this.dirty.peek()) return run();
		this.question.value = {
			leave: () => {
				this.question.value = undefined;
				this.dirty.value = false;
				run();
			},
			stay: () => (this.question.value = undefined),
		};
	}

	#follow(): void {
		const wanted = location.hash;
		if (wanted === this.#hash) return;
		if (this.#leaves(wanted)) { // by the browser's own buttons: stay, until the person has answered
			history.pushState(null, "", this.#hash || startHash);
			return this.whenFree(() => this.go(wanted));
		}
		this.#hash = wanted;
		this.route.value = parseRoute(wanted);
	}

	/** Whether unsaved work would be left: a module's own addresses are its own business. */
	#leaves(hash: string): boolean {
		if (!this.dirty.peek()) return false;
		const [from, to] = [this.route.peek(), parseRoute(hash)];
		return !(from.to === "module" && to.to === "module" && from.moduleId === to.moduleId);
	}
}
