import type { Context, Contribution, StreamReader, StreamState } from "@narthex/sdk";
import { kitHouse } from "../kit/house";
import { loadArtifact } from "./artifact";
import type { ServerClock } from "./clock";
import { moduleApi } from "./moduleapi";
import { openStream } from "./realtime";

/** How many streams one module may read: browsers open six connections to an origin over HTTP/1.1. */
const streamLimit = 2;

/** The server's description of a module to mount. */
export interface MountedEntry {
	readonly moduleId: string;
	readonly name: string;
	readonly version: string;
	readonly apiRoot: string;
	readonly realtimeRoot: string;
	readonly permissions: readonly string[];
	/** Of a display on a paired screen. */
	readonly screen?: { readonly label: string } | undefined;
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
	/** Who sees the module: its streams are shared only with the browser's pages of the same one. */
	readonly identity: string;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
	/** Resolves a root-relative path of the server on the API's origin. */
	address(path: string): string;
	/**
	 * Called when the server responds with 401 or 403, to a stream also with 404; for a contribution's request
	 * only with 401.
	 */
	denied(): void;
	/** Whether contributions may call routes of their own module: true for a person, false for a screen. */
	readonly contributionsCall: boolean;
	/** Pages close their streams while they are hidden; displays on a wall do not. */
	readonly pausesWhenHidden: boolean;
	/**
	 * A selector for the elements to which the module's styles apply. By default it is the container with the
	 * module's id.
	 */
	readonly styledWithin?: string;
	/** Is notified of every stream that the module opens. */
	readonly watch?: StreamWatch;
	/** Called with the URL of a contribution after it was loaded. */
	loaded?(address: string): void;
	/** Aborted when the module is unmounted, which ends everything that the context has started. */
	readonly signal: AbortSignal;
}

/** What a host observes of a module's streams. */
export interface StreamWatch {
	/** A stream was opened ("connecting"), has changed its state, or was closed by the module (undefined). */
	changed(stream: object, state: StreamState | undefined): void;
	/** An event has arrived: "snapshot", "update" or "heartbeat". */
	heard(event: string): void;
}

/** The context of every artifact, in the Dashboard and on a display. */
export function contextOf(options: ContextOptions): Context {
	const { entry, clock, identity, denied, pausesWhenHidden, signal } = options;
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
			const { watch } = options;
			const watched = watchedReader(reader as StreamReader, watch);
			const heard = (event: string) => watch?.heard(event);
			const stop = openStream({
				...{ url, identity, reader: watched, clock, refused: denied, pausesWhenHidden, heard, signal },
			});
			let open = true;
			return () => {
				if (open) {
					streams--;
					watch?.changed(watched, undefined);
				}
				open = false;
				stop();
			};
		},
		permissions: Object.freeze([...entry.permissions]),
		contributions: Object.freeze(entry.contributions.map((contribution) => loadable(contribution, options))),
		...(entry.screen && { screen: Object.freeze({ ...entry.screen }) }),
		locale: options.locale,
		dir: options.dir,
		get house() {
			return kitHouse.value;
		},
		serverNow: () => clock.now(),
		addStyle: (css) => {
			if (signal.aborted) return;
			const sheet = new CSSStyleSheet();
			sheet.replaceSync(held(css, options.styledWithin ?? `[data-module="${entry.moduleId}"]`));
			sheets.push(sheet);
			document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
		},
		signal,
	};
}

/** A reader that reports state changes to the watch before it calls the module's reader. */
function watchedReader(reader: StreamReader, watch: StreamWatch | undefined): StreamReader {
	const watched: StreamReader = {
		snapshot: (value) => reader.snapshot(value),
		update: (value) => reader.update?.(value),
		state: (state) => {
			watch?.changed(watched, state);
			reader.state?.(state);
		},
	};
	watch?.changed(watched, "connecting");
	return watched;
}

/**
 * A module's styles, limited to its container and overridden by the kit's. In a browser without @scope only
 * their layer limits them.
 */
function held(css: string, within: string): string {
	const scoped = "CSSScopeRule" in window ? `@scope (${within}) {\n${css}\n}` : css;
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
		load: async <Value>() => {
			const value = await loadArtifact<Value>("contribution", address, options.signal);
			options.loaded?.(address);
			return value;
		},
		api: options.contributionsCall
			? moduleApi({
					root: options.address(`/api/v1/modules/${moduleId}`),
					denied: (status) => {
						if (status === 401) options.denied(); // a missing permission is left to the contribution
					},
					signal: options.signal,
				})
			: () => Promise.reject(new TypeError("A screen makes no requests for contributions.")),
	}) as Contribution;
}
