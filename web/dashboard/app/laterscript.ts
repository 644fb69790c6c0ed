import type { ComponentType } from "preact";
import { parts } from "./parts";

/** The global name under which a later script finds the parts that it shares with the page. */
const name = Symbol.for("narthex.dashboard");

/** The server has another build of the Dashboard than this tab. */
export class OtherBuild extends Error {}

/** Offers the page's parts to the later scripts. Call it once. */
export function offerParts(): void {
	Object.defineProperty(globalThis, name, { value: Object.freeze(parts) });
}

/** Returns what loads a screen of a script. It rejects without a network, or with OtherBuild. */
export type Load<Screens> = <Props>(
	pick: (screens: Screens) => ComponentType<Props>,
) => () => Promise<ComponentType<Props>>;

export const administration = laterScript<typeof import("../administration")>("administration.js");
export const account = laterScript<typeof import("../account")>("account.js");
export const files = laterScript<typeof import("../files")>("files.js");

/** A script of the Dashboard that is loaded once one of its screens is wanted. */
function laterScript<Screens>(file: string): Load<Screens> {
	const address = `/assets/service-dashboard/${file}`;
	let loading: Promise<Screens> | undefined;
	let failures = 0;

	/**
	 * Fetches the script, checks that it belongs to this page's build, and only then imports it. Some
	 * engines remember a failed import for the life of the page, so after a failure it is imported with
	 * another fragment.
	 */
	const load = async (): Promise<Screens> => {
		const own = document.querySelector<HTMLMetaElement>('meta[name="narthex-build"]')?.content;
		const response = await fetch(address, { cache: "no-cache" }); // a proxy's page may still be cached as fresh
		const type = response.headers.get("Content-Type") ?? "";
		if (!response.ok || !/\bjavascript\b/.test(type)) throw new Error(`${file}: ${response.status} ${type}`);
		if (!(await response.text()).includes(`export const build="${own}"`)) throw new OtherBuild();
		try {
			return await import(failures === 0 ? address : `${address}#r=${failures}`);
		} catch (error) {
			failures++;
			throw error;
		}
	};

	return (pick) => async () => {
		loading ??= load();
		try {
			return pick(await loading);
		} catch (error) {
			loading = undefined;
			throw error;
		}
	};
}
