import type { Contribution, ModuleUi, ModuleUiContext, Unmount } from "@narthex/sdk";
import { loadArtifact } from "../../../host/artifact";
import { moduleApi } from "../../../host/moduleapi";
import { openStream } from "../../../host/realtime";
import type { App } from "../../app/app";
import type { ContributionDescriptor, InventoryEntry } from "../../data/platform";
import { locale, theme } from "../../app/preferences";
import { moduleHash, parseRoute } from "../../app/route";

/** How long mount may take, milliseconds. */
const mountLimit = 10_000;
/** Streams that one module may read: browsers open six connections to an origin. */
const streamLimit = 2;

/** mount took too long. */
export class MountTimeout extends Error {}

/** One module in its container, from the loading of its artifact to the end. */
export class ModuleMount {
	readonly #ended = new AbortController();
	readonly #sheets: CSSStyleSheet[] = [];
	#streams = 0;
	#unmount: Unmount | undefined;

	constructor(
		readonly app: App,
		readonly entry: InventoryEntry,
		readonly container: HTMLElement,
		readonly setTitle: (title: string) => void,
	) {}

	/** Loads and mounts. It rejects with why that failed, and then nothing of the module is left. */
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

	/** Unmounts. Ending twice is fine. */
	end(): void {
		if (this.#ended.signal.aborted) return;
		this.#ended.abort();
		this.#release();
		this.app.router.dirty.value = false;
		document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !this.#sheets.includes(sheet));
		this.container.replaceChildren();
	}

	async #mount(ui: ModuleUi): Promise<void> {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new MountTimeout()), mountLimit);
		});
		const mounted = (async () => {
			this.#unmount = (await ui.mount(this.container, this.#context())) ?? undefined;
			if (this.#ended.signal.aborted) this.#release(); // it ended, or ran out of time, meanwhile
		})();
		try {
			await Promise.race([mounted, late]);
		} finally {
			clearTimeout(timer);
			mounted.catch(() => undefined); // after the time nobody asks any more
		}
	}

	/** Calls what mount answered, once. What it throws is reported to the page: the module goes in any case. */
	#release(): void {
		const unmount = this.#unmount;
		this.#unmount = undefined;
		try {
			unmount?.();
		} catch (error) {
			reportError(error);
		}
	}

	#context(): ModuleUiContext {
		const { app, entry } = this;
		const { platform, router } = app;
		const signal = this.#ended.signal;
		const denied = () => void app.session.recheck();
		const api = moduleApi({ root: platform.address(entry.apiRoot), denied, signal });
		return Object.freeze<ModuleUiContext>({
			module: Object.freeze({ id: entry.moduleId, name: entry.name, version: entry.version }),
			api,
			realtime: (channel, reader) => {
				if (this.#streams >= streamLimit) throw new RangeError("A module reads at most two channels at a time.");
				this.#streams++;
				const url = platform.address(`${entry.realtimeRoot}/${encodeURIComponent(channel)}`);
				const stop = openStream({ url, reader: reader as Parameters<typeof openStream>[0]["reader"], clock: app.clock, denied, pausesWhenHidden: true, signal });
				let open = true;
				return () => {
					if (open) this.#streams--;
					open = false;
					stop();
				};
			},
			permissions: Object.freeze([...entry.permissions]),
			contributions: Object.freeze(entry.contributions.map((descriptor) => this.#contribution(descriptor))),
			locale: locale.peek().tag,
			dir: locale.peek().dir,
			get theme() {
				return theme.peek();
			},
			serverNow: () => app.clock.now(),
			get subpath() {
				const route = parseRoute(location.hash);
				return route.to === "module" && route.moduleId === entry.moduleId ? route.subpath : "";
			},
			navigate: (subpath, options) => {
				if (!signal.aborted) router.go(moduleHash(entry.moduleId, subpath), options?.replace);
			},
			announce: (text, level) => app.announce(text, level),
			setTitle: (title) => {
				if (!signal.aborted) this.setTitle(title);
			},
			setDirty: (dirty) => {
				if (!signal.aborted) router.dirty.value = dirty;
			},
			drafts: app.drafts.of(entry.moduleId),
			addStyle: (css) => {
				if (signal.aborted) return;
				const sheet = new CSSStyleSheet();
				sheet.replaceSync(css);
				this.#sheets.push(sheet);
				document.adoptedStyleSheets.push(sheet);
			},
			signal,
		});
	}

	#contribution(descriptor: ContributionDescriptor): Contribution {
		const { id, version, capability, moduleId, moduleVersion } = descriptor;
		const address = this.app.platform.address(`/api/v1/module-ui/${moduleId}/${moduleVersion}/contributions/${id}`);
		return Object.freeze({
			id,
			version,
			capability,
			load: <Value>() => loadArtifact<Value>("contribution", address, this.#ended.signal),
		}) as Contribution;
	}
}
