import { signal } from "@preact/signals";

/** The minimum time between two checks, in milliseconds. */
const pause = 10 * 60_000;

/** The build in the HTML of the Dashboard's page. */
const buildOf = (html: string): string | undefined =>
	/<meta name="narthex-build" content="([0-9a-f]+)">/.exec(html)?.[1];

/**
 * Detects that the server has another build of the Dashboard than this tab, because a tab may stay open for
 * weeks. It checks when the person returns to the tab.
 */
export class NewVersion {
	readonly here = signal(false);
	#looked = performance.now();

	watch(): void {
		const own = document.querySelector<HTMLMetaElement>('meta[name="narthex-build"]')?.content;
		if (own === undefined || own === "") return;
		document.addEventListener("visibilitychange", () => {
			if (document.visibilityState !== "visible" || performance.now() - this.#looked < pause) return;
			this.#looked = performance.now();
			void this.#look(own);
		});
	}

	async #look(own: string): Promise<void> {
		try {
			const response = await fetch(location.pathname, { cache: "no-cache", credentials: "omit" });
			const build = response.ok ? buildOf(await response.text()) : undefined;
			if (build !== undefined) this.here.value = build !== own;
		} catch {
			return; // no network: check again later
		}
	}
}
