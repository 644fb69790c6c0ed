import type { ComponentType } from "preact";
import { parts } from "./parts";

export type Administration = typeof import("../administration");

/** The global name under which the administration's script finds the parts that it shares with the page. */
const name = Symbol.for("narthex.dashboard");
const address = "/assets/service-dashboard/administration.js";

/** The server has another build of the Dashboard than this tab. */
export class OtherBuild extends Error {}

/** Offers the page's parts to the administration's script. Call it once. */
export function offerParts(): void {
	Object.defineProperty(globalThis, name, { value: Object.freeze(parts) });
}

let loading: Promise<Administration> | undefined;
let failures = 0;

/** Loads a part of the administration. It rejects without a network, or with OtherBuild. */
export const administration =
	<Props>(pick: (screens: Administration) => ComponentType<Props>) =>
	async (): Promise<ComponentType<Props>> => {
		loading ??= load();
		try {
			return pick(await loading);
		} catch (error) {
			loading = undefined;
			throw error;
		}
	};

/**
 * Fetches the script, checks that it belongs to this page's build, and only then imports it. Some engines
 * remember a failed import for the life of the page, so after a failure it is imported with another fragment.
 */
async function load(): Promise<Administration> {
	const own = document.querySelector<HTMLMetaElement>('meta[name="narthex-build"]')?.content;
	const response = await fetch(address, { cache: "no-cache" }); // a proxy's page may still be cached as fresh
	const type = response.headers.get("Content-Type") ?? "";
	if (!response.ok || !/\bjavascript\b/.test(type)) {
		throw new Error(`The administration's script: ${response.status} ${type}`);
	}
	if (!(await response.text()).includes(`export const build="${own}"`)) throw new OtherBuild();
	try {
		return await import(failures === 0 ? address : `${address}#r=${failures}`);
	} catch (error) {
		failures++;
		throw error;
	}
}
