import type { Context, Contribution } from "@narthex/sdk";
import { loadArtifact } from "./artifact";
import type { ServerClock } from "./clock";
import { moduleApi } from "./moduleapi";
import { openStream } from "./realtime";

/** Streams that one module may read: browsers open six connections to an origin. */
const streamLimit = 2;

/** What the server says of a module that is to be mounted. */
export interface MountedEntry {
	readonly moduleId: string;
	readonly name: string;
	readonly version: string;
	readonly apiRoot: string;
	readonly realtimeRoot: string;
	readonly permissions: readonly string[];
	readonly contributions: readonly {
		readonly id: string;
		readonly version: string;
		readonly capability: string;
		readonly moduleId: string;
		readonly moduleVersion: string;
	}[];
}

export interface ContextOptions {
	readonly entry: MountedEntry;
	readonly container: HTMLElement;
	readonly clock: ServerClock;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
	/** A root-relative address of the server's, resolved on the API's origin. */
	address(path: string): string;
	/** Called when the server answers 401 or 403. */
	denied(): void;
	/** Pages close their streams while they are hidden. Displays on a wall do not. */
	readonly pausesWhenHidden: boolean;
	/** Aborted when the module is unmounted. What the context has begun ends with it. */
	readonly signal: AbortSignal;
}

/** What every artifact is given, in the Dashboard and on a display. */
export function contextOf(options: ContextOptions): Context {
	const { entry, clock, denied, pausesWhenHidden, signal } = options;
	const sheets: CSSStyleSheet[] = [];
	signal.addEventListener("abort", () => {
		document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
	});
	let streams = 0;
	return {
		module: Object.freeze({ id: entry.moduleId, name: entry.name, version: entry.version }),
		api: moduleApi({ root: options.address(entry.apiRoot), denied, signal }),
		realtime: (channel, reader) => {
			if (streams >= streamLimit) throw new RangeError("A module reads at most two channels at a time.");
			streams++;
			const url = options.address(`${entry.realtimeRoot}/${encodeURIComponent(channel)}`);
			const erased = reader as Parameters<typeof openStream>[0]["reader"];
			const stop = openStream({ url, reader: erased, clock, denied, pausesWhenHidden, signal });
			let open = true;
			return () => {
				if (open) streams--;
				open = false;
				stop();
			};
		},
		permissions: Object.freeze([...entry.permissions]),
		contributions: Object.freeze(entry.contributions.map((contribution) => loadable(contribution, options))),
		locale: options.locale,
		dir: options.dir,
		serverNow: () => clock.now(),
		addStyle: (css) => {
			if (signal.aborted) return;
			const sheet = new CSSStyleSheet();
			sheet.replaceSync(held(css, entry.moduleId));
			sheets.push(sheet);
			document.adoptedStyleSheets.push(sheet);
		},
		signal,
	};
}

/**
 * A module's styles, held inside its container and below the kit's. A browser without @scope holds them by
 * their layer alone.
 */
function held(css: string, moduleId: string): string {
	const scoped = "CSSScopeRule" in window ? `@scope ([data-module="${moduleId}"]) {\n${css}\n}` : css;
	return `@layer module {\n${scoped}\n}`;
}

function loadable(
	contribution: MountedEntry["contributions"][number],
	options: ContextOptions,
): Contribution {
	const { id, version, capability, moduleId, moduleVersion } = contribution;
	const address = options.address(`/api/v1/module-ui/${moduleId}/${moduleVersion}/contributions/${id}`);
	return Object.freeze({
		id,
		version,
		capability,
		load: <Value>() => loadArtifact<Value>("contribution", address, options.signal),
	}) as Contribution;
}
