import type { HomeTools, ModuleUi, ModuleUiContext, Unmount } from "@narthex/sdk";
import { effect } from "@preact/signals";
import { loadArtifact } from "../../../host/artifact";
import { contextOf } from "../../../host/context";
import type { App } from "../../app/app";
import { theme } from "../../app/preferences";
import { locale } from "../../words/words";
import { moduleHash } from "../../app/route";
import type { InventoryEntry } from "../../data/platform";

/** How long mount may take, in milliseconds. */
const mountLimit = 10_000;

/** mount took too long. */
export class MountTimeout extends Error {}

/** One module in its container, from loading its artifact until the end. */
export class ModuleMount {
	readonly #ended = new AbortController();
	#unmount: Unmount | undefined;

	constructor(
		readonly app: App,
		readonly entry: InventoryEntry,
		readonly container: HTMLElement,
		readonly setTitle: (title: string) => void,
		/** Only for the module "home". */
		readonly home?: HomeTools,
	) {}

	/**
	 * Loads and mounts the module. If that fails, it rejects with the reason, and nothing of the module is
	 * left.
	 */
	async start(): Promise<void> {
		try {
			const address = this.app.platform.address(this.entry.artifactUrl);
			const ui = await loadArtifact<ModuleUi>("module-ui", address, this.#ended.signal);
			if (this.#ended.signal.aborted) return;
			await this.#mount(ui);
		} catch (error) {
			this.end();
			throw error;
		}
	}

	/** Unmounts the module. It may be called twice. */
	end(): void {
		if (this.#ended.signal.aborted) return;
		this.#ended.abort();
		this.#release();
		this.app.router.dirty.value = false;
		this.container.replaceChildren();
	}

	async #mount(ui: ModuleUi): Promise<void> {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new MountTimeout()), mountLimit);
		});
		const mounted = (async () => {
			this.#unmount = (await ui.mount(this.container, this.#context())) ?? undefined;
			if (this.#ended.signal.aborted) this.#release(); // it was ended, or the time expired, meanwhile
		})();
		try {
			await Promise.race([mounted, late]);
		} finally {
			clearTimeout(timer);
			mounted.catch(() => undefined); // after the time limit the result is ignored
		}
	}

	/**
	 * Calls the module's unmount, once. An error in it is reported to the page; the module is removed anyway.
	 */
	#release(): void {
		const unmount = this.#unmount;
		this.#unmount = undefined;
		try {
			unmount?.();
		} catch (error) {
			reportError(error);
		}
	}

	#subpath(): string {
		const route = this.app.router.route.peek();
		return route.to === "module" && route.moduleId === this.entry.moduleId ? route.subpath : "";
	}

	#context(): ModuleUiContext {
		const { app, entry } = this;
		const { platform, router } = app;
		const who = app.session.who.peek();
		const signal = this.#ended.signal;
		const subpath = () => this.#subpath();
		let known = subpath(); // the address as the module has read it
		const shared = contextOf({
			entry,
			container: this.container,
			clock: app.clock,
			identity: who.is === "person" ? who.userId : "",
			locale: locale.peek().tag,
			dir: locale.peek().dir,
			address: (path) => platform.address(path),
			denied: () => void app.session.recheck(),
			contributionsCall: true,
			pausesWhenHidden: true,
			watch: app.reach.watch(signal),
			signal,
		});
		const own: Omit<ModuleUiContext, keyof typeof shared> = {
			get theme() {
				return theme.peek();
			},
			onTheme: (listener) =>
				untilEnd(
					signal,
					effect(() => listener(theme.value)),
				),
			get subpath() {
				return (known = subpath());
			},
			navigate: (to, options = {}) => {
				if (!signal.aborted) router.go(moduleHash(entry.moduleId, to), { ...options, own: true });
			},
			onNavigate: (listener) => {
				const stop = new AbortController();
				const follow = () => {
					const route = router.route.peek(); // the address bar may be ahead of it
					if (route.to === "module" && route.moduleId === entry.moduleId) listener((known = route.subpath));
				};
				if (known !== subpath()) follow(); // it changed while the module was mounted
				addEventListener("hashchange", follow, { signal: AbortSignal.any([stop.signal, signal]) });
				return () => stop.abort();
			},
			announce: (text, level, action) => {
				if (!signal.aborted) app.announce(text, level, action);
			},
			confirm: (question) => {
				if (signal.aborted) return Promise.resolve(false);
				return app.questions.ask({ ...question, body: [question.body].flat() });
			},
			setTitle: (title) => {
				if (!signal.aborted) this.setTitle(title);
			},
			setDirty: (dirty) => {
				if (!signal.aborted) router.dirty.value = dirty;
			},
			drafts: app.drafts.of(entry.moduleId),
			...(this.home && { home: this.home }),
		};
		const context = Object.create(null) as ModuleUiContext;
		for (const part of [shared, own])
			Object.defineProperties(context, Object.getOwnPropertyDescriptors(part));
		return Object.freeze(context);
	}
}

/** Ends something with the module, or earlier when the returned function is called. */
function untilEnd(signal: AbortSignal, end: () => void): () => void {
	signal.addEventListener("abort", end, { once: true });
	return () => {
		signal.removeEventListener("abort", end);
		end();
	};
}
