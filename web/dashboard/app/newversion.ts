import { signal } from "@preact/signals";

/** How long after a look the next one is made, milliseconds. */
const pause = 10 * 60_000;

/** The build that a page of the Dashboard says it is. */
const buildOf = (html: string): string | undefined =>
	/<meta name="narthex-build" content="([0-9a-f]+)">/.exec(html)?.[1];

/**
 * Notices that the server has another Dashboard by now than the one that this tab runs: a tab may stay open
 * for weeks. It looks when the person comes back to the tab.
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
			return; // no network: the next look tells
		}
	}
}
