import type { Descriptor } from "./platform";
import type { FromWorker, ToWorker } from "./messages";

/**
 * The page's side of the service worker, which caches page, host script and artifacts for a start without a
 * network. Without a secure origin there is no worker, and nothing is cached.
 */
export class KeptPage {
	readonly #container = serviceWorker();
	#descriptor: Descriptor | undefined;
	readonly #loaded = new Set<string>();

	constructor(
		readonly host: string | undefined, // hash of the host script that runs here
		/** Called when the worker has served something from its cache, because the network failed. */
		readonly fromCache: () => void,
	) {
		this.#container?.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
			if (data.narthex === "from-cache") fromCache();
			if (data.narthex === "newer") location.reload();
		});
	}

	/** Registers the worker. If the browser refuses that, the display works without it. */
	start(): void {
		this.#container
			?.register("/display/worker.js", { scope: "/display/", updateViaCache: "none" })
			.catch((error: unknown) => console.warn("No service worker:", error));
	}

	/** An artifact of the display was loaded. Artifacts that a display loads later are cached, too. */
	loaded(path: string): void {
		this.#loaded.add(path);
		if (this.#descriptor) this.keep(this.#descriptor);
	}

	/** This display was mounted, so its page and scripts are to be cached. Older versions are deleted. */
	keep(descriptor: Descriptor): void {
		this.#descriptor = descriptor;
		const { host } = this;
		if (!this.#container || host === undefined) return;
		const current = artifactsOf(descriptor);
		const scripts = current.filter((path) => this.#loaded.has(path));
		const { moduleId, version } = descriptor;
		const page = location.pathname;
		const message: ToWorker = { narthex: "keep", page, host, moduleId, version, scripts, current };
		void this.#container.ready.then(({ active }) => active?.postMessage(message));
	}
}

/** The browser's workers. A browser that blocks cookies may throw instead of having none. */
function serviceWorker(): ServiceWorkerContainer | undefined {
	try {
		return navigator.serviceWorker as ServiceWorkerContainer | undefined;
	} catch {
		return undefined;
	}
}

/** The paths of the display's artifact and of every contribution to it. */
const artifactsOf = (descriptor: Descriptor): string[] => [
	descriptor.artifactUrl,
	...descriptor.contributions.map(
		({ id, moduleId, moduleVersion }) => `/api/v1/module-ui/${moduleId}/${moduleVersion}/contributions/${id}`,
	),
];
