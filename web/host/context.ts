import type { Context, Contribution, StreamReader, StreamState } from "@narthex/sdk";
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
	/** Called when the server answers 401 or 403; to a contribution's request, 401. */
	denied(): void;
	/** Whether contributions may call routes of their own module: for a person, and not for a screen. */
	readonly contributionsCall: boolean;
	/** Pages close their streams while they are hidden. Displays on a wall do not. */
	readonly pausesWhenHidden: boolean;
	/** The elements that the module's styles apply to. Unless it is given: the container of the module's id. */
	readonly styledWithin?: string;
	/** Told of every stream that the module opens. */
	readonly watch?: StreamWatch;
	/** Called with the address of a contribution that was loaded. */
	loaded?(address: string): void;
	/** Aborted when the module is unmounted. What the context has begun ends with it. */
	readonly signal: AbortSignal;
}

/** What a host wants to know of a module's streams. */
export interface StreamWatch {
	/** A stream was opened ("connecting"), has changed its state, or was closed by the module (undefined). */
	changed(stream: object, state: StreamState | undefined): void;
	/** An event has arrived: "snapshot", "update" or "heartbeat". */
	heard(event: string): void;
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
			const { watch } = options;
			const watched = watchedReader(reader as StreamReader, watch);
			const heard = (event: string) => watch?.heard(event);
			const stop = openStream({ url, reader: watched, clock, denied, pausesWhenHidden, heard, signal });
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
		locale: options.locale,
		dir: options.dir,
		serverNow: () => clock.now(),
		addStyle: (css) => {
			if (signal.aborted) return;
			const sheet = new CSSStyleSheet();
			sheet.replaceSync(held(css, options.styledWithin ?? `[data-module="${entry.moduleId}"]`));
			sheets.push(sheet);
			document.adoptedStyleSheets.push(sheet);
		},
		signal,
	};
}

/** The module's reader, with the watch told of its state first. */
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
 * A module's styles, held inside its container and below the kit's. A browser without @scope holds them by
 * their layer alone.
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
						if (status === 401) options.denied(); // a permission that is missing is the contribution's matter
					},
					signal: options.signal,
				})
			: () => Promise.reject(new TypeError("A screen makes no requests for contributions.")),
	}) as Contribution;
}
