import type { ComponentType } from "preact";
import type { ScreenProps } from "./screen";
import { parts } from "./parts";

type Administration = typeof import("../administration");

/** Where the administration's script finds what the page has anyway. */
const name = Symbol.for("narthex.dashboard");
const address = "/assets/service-dashboard/administration.js";

/** The server has another build of the Dashboard than this tab runs. */
export class OtherBuild extends Error {}

/** Offers the page's parts to the administration's script. It is called once. */
export function offerParts(): void {
	Object.defineProperty(globalThis, name, { value: Object.freeze(parts) });
}

let loading: Promise<Administration> | undefined;
let failures = 0;

/** Loads a screen of the administration. It rejects when there is no network, or with OtherBuild. */
export const administration =
	(pick: (screens: Administration) => ComponentType<ScreenProps>) =>
	async (): Promise<ComponentType<ScreenProps>> => {
		loading ??= load();
		try {
			return pick(await loading);
		} catch (error) {
			loading = undefined;
			throw error;
		}
	};

/**
 * Fetches the script, looks whether it is of this page's build, and only then imports it. Some engines
 * remember for the life of a page that an import has failed: then another fragment helps.
 */
async function load(): Promise<Administration> {
	const own = document.querySelector<HTMLMetaElement>('meta[name="narthex-build"]')?.content;
	const response = await fetch(address);
	if (!response.ok) throw new Error(`The administration's script: ${response.status}`);
	if (!(await response.text()).includes(`export const build="${own}"`)) throw new OtherBuild();
	try {
		return await import(failures === 0 ? address : `${address}#r=${failures}`);
	} catch (error) {
		failures++;
		throw error;
	}
}
