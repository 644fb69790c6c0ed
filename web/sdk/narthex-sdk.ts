/**
 * The browser SDK of Narthex: what a module's UI, display and contributions are, and what they are given.
 *
 * An artifact is one ES module whose default export comes from one of the three define functions. They stamp
 * it with the ABI that it was built for. The host refuses another ABI and says that the module must be
 * rebuilt.
 */

/** Version of this SDK. */
export const sdkVersion = "0.1.2";

/** The ABIs of this SDK. A host mounts exactly these. */
export const moduleUiAbi = 1;
export const displayAbi = 1;
export const contributionAbi = 1;

/**
 * What the realtime stream of a channel is doing. Only "live" means that what is shown is what the server
 * has.
 */
export type StreamState =
	/** asking for the first snapshot */
	| "connecting"
	/** the snapshot is there and updates follow */
	| "live"
	/** lost or refused for now; it comes back by itself, with a snapshot */
	| "waiting"
	/** closed because the page was hidden for a minute; it resumes when the page is seen again */
	| "paused"
	/** no such channel, or not for this person: it will not come back by itself */
	| "refused";

/** What a reader of a channel does. The host calls them one after the other, never at once. */
export interface StreamReader<Snapshot = unknown, Update = unknown> {
	/** The whole state. It replaces everything before it, and comes again after every interruption. */
	snapshot(value: Snapshot): void;
	/** One change since the last snapshot or update, in order. */
	update?(value: Update): void;
	/**
	 * What the stream is doing now. It is called on every change, and not for what is so from the start
	 * ("connecting").
	 */
	state?(state: StreamState): void;
}

/** A capability that another module brings to this one. */
export interface Contribution<Value = unknown> {
	/** "<module id>.<name>" */
	readonly id: string;
	readonly version: string;
	/** The capability of this module that it contributes to. */
	readonly capability: string;
	/**
	 * Loads the artifact and answers what its defineContribution was given. A second call answers the same. It
	 * rejects when the artifact cannot be had or was built for another ABI.
	 */
	load(): Promise<Value>;
	/**
	 * A request to the routes of the module that contributes, as the person who is signed in, with the rules of
	 * Context.api; hand it to what was loaded. A 403 is the contribution's own matter: the host does nothing
	 * about it. On a screen it rejects with a TypeError: a screen holds one permission, that of the display
	 * that it shows.
	 */
	api(path: string, init?: RequestInit): Promise<Response>;
}

/** What every artifact is given, wherever it is mounted. */
export interface Context {
	readonly module: { readonly id: string; readonly name: string; readonly version: string };

	/**
	 * A request to this module's own routes: path begins with "/" and is taken below the module's root, so
	 * nothing else can be reached. Cookies go along; of the headers only Accept, Accept-Language, Content-
	 * Language and Content-Type may be set, so metadata belongs in the query. It answers every response,
	 * whatever its status. Where the person is no longer signed in, the host notices the 401 and shows the
	 * sign-in. It rejects with a TypeError when there is no network, and with an AbortError when init.signal
	 * or the module's own signal ends it.
	 */
	api(path: string, init?: RequestInit): Promise<Response>;

	/**
	 * Reads a channel of this module until the returned function is called or the module is unmounted. The
	 * host reconnects. At most two channels are read at a time; one more throws a RangeError.
	 */
	realtime<Snapshot = unknown, Update = unknown>(
		channel: string,
		reader: StreamReader<Snapshot, Update>,
	): () => void;

	/** Those of this module's permissions that the caller holds: hints for what to show. The server decides. */
	readonly permissions: readonly string[];

	/** What other modules bring to capabilities of this one. */
	readonly contributions: readonly Contribution[];

	/**
	 * Language of the interface as a BCP 47 tag, and its direction. A change of language mounts the
	 * module again.
	 */
	readonly locale: string;
	readonly dir: "ltr" | "rtl";

	/**
	 * Milliseconds since 1970 by the server's clock, as far as it is known; it runs evenly when the browser's
	 * clock is set.
	 */
	serverNow(): number;

	/**
	 * Adds a stylesheet until the module is unmounted. It applies inside the module's container only, and the
	 * components of the kit win over it.
	 */
	addStyle(css: string): void;

	/** Aborted when the module is unmounted. */
	readonly signal: AbortSignal;
}

/** In memory only: it survives an unmount, and ends with the page or when another person signs in. */
export interface Drafts {
	get(key: string): unknown;
	set(key: string, value: unknown): void;
	delete(key: string): void;
}

/** What a toast offers to do. */
export interface Action {
	readonly label: string;
	run(): unknown;
}

export interface Confirmation {
	/** The question itself. */
	readonly title: string;
	/** What happens: one sentence, or one for each effect. */
	readonly body: string | readonly string[];
	/** Verbs: "Delete", and the safe one: "Keep it". */
	readonly yes: string;
	readonly no: string;
	/** For what cannot be undone. */
	readonly danger?: boolean;
}

/** What a module's UI in the Dashboard is given. */
export interface ModuleUiContext extends Context {
	/** The module's own part of the address, decoded, without a leading slash: "" is its start. */
	readonly subpath: string;
	/**
	 * Goes to an address of the module. With replace, the way back does not lead here. It does not ask about
	 * unsaved work: the module knows what it leaves.
	 */
	navigate(subpath: string, options?: { replace?: boolean }): void;
	/**
	 * Calls the listener whenever the module's own part of the address has changed, until the returned
	 * function is called or the module is unmounted. While the module is dirty, a way by the browser's buttons
	 * asks the person first.
	 */
	onNavigate(listener: (subpath: string) => void): () => void;
	/** What is shown now. The custom properties --d-* follow by themselves. */
	readonly theme: "light" | "dark";
	/** Calls the listener with the theme, now and whenever it changes. */
	onTheme(listener: (theme: "light" | "dark") => void): () => void;
	/**
	 * Says something in a toast, which screen readers say once, too. "assertive" is for what did not work: it
	 * interrupts and stays until it is closed. The action is Undo or Try again.
	 */
	announce(text: string, level?: "polite" | "assertive", action?: Action): void;
	/**
	 * Asks before something that cannot be undone. It resolves to whether the person agreed; Escape does not.
	 */
	confirm(question: Confirmation): Promise<boolean>;
	/** Names the page. Until it is called, the heading is the module's name. */
	setTitle(title: string): void;
	/** While true, leaving asks first. */
	setDirty(dirty: boolean): void;
	readonly drafts: Drafts;
}

/** What a display's artifact is given on a wall. */
export type DisplayContext = Context;

/** Ends what mount began. What was started under context.signal, addStyle and realtime ends by itself. */
export type Unmount = () => void;

export interface ModuleUi {
	/**
	 * Fills the container, which is empty and the module's own. It has ten seconds. What it throws, or rejects
	 * with, is shown as a failure with a way to try again.
	 *
	 * Headings begin with h2. Native controls look like the Dashboard's by themselves; a button may have the
	 * class primary, quiet or danger, and card, chip, note (each also ok, warn or bad), field, row, stack,
	 * muted and unseen are there, too. Colours, sizes and spaces are the custom properties --d-*, in the light
	 * and the dark theme.
	 */
	mount(container: HTMLElement, context: ModuleUiContext): Unmount | void | Promise<Unmount | void>;
}

export interface Display {
	/** Fills the container, which is the whole screen. */
	mount(container: HTMLElement, context: DisplayContext): Unmount | void | Promise<Unmount | void>;
}

/** What an artifact's default export is to the host. */
export interface Artifact<Kind extends string, Definition> {
	readonly narthex: Kind;
	readonly abi: number;
	readonly definition: Definition;
}
export type ModuleUiArtifact = Artifact<"module-ui", ModuleUi>;
export type DisplayArtifact = Artifact<"display", Display>;
export type ContributionArtifact<Value = unknown> = Artifact<"contribution", Value>;

/** The default export of entrypoints.ui. */
export function defineModuleUi(ui: ModuleUi): ModuleUiArtifact {
	return Object.freeze({ narthex: "module-ui", abi: moduleUiAbi, definition: ui });
}

/** The default export of entrypoints.display. */
export function defineDisplay(display: Display): DisplayArtifact {
	return Object.freeze({ narthex: "display", abi: displayAbi, definition: display });
}

/** The default export of a contribution. What it holds is agreed with the module that owns the capability. */
export function defineContribution<Value>(value: Value): ContributionArtifact<Value> {
	return Object.freeze({ narthex: "contribution", abi: contributionAbi, definition: value });
}

/** A request of jsonRequest that was not answered as it was meant to be. */
export class ApiError extends Error {
	override readonly name = "ApiError";

	constructor(
		/** The HTTP status; 0 when no response came. */
		readonly status: number,
		/** The server's code; "OFFLINE" or "NETWORK" when no response came, "MALFORMED" when it was no JSON. */
		readonly code: string,
		/** Seconds until the server lets the next try through, where it says so. */
		readonly retryAfter?: number,
	) {
		super(`${code} (${status})`);
	}
}

/**
 * A request with JSON both ways to the module's own routes. It returns the response's body, undefined when
 * that is empty. Everything else is an ApiError, except the AbortError of an unmounted module.
 */
export async function jsonRequest<Value>(
	context: Pick<Context, "api">,
	method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
	path: string,
	body?: unknown,
): Promise<Value> {
	const headers = { "Content-Type": "application/json" };
	const init: RequestInit = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
	let response: Response;
	let text: string;
	try {
		response = await context.api(path, init);
		text = await response.text();
	} catch (error) {
		if (error instanceof DOMException && error.name === "AbortError") throw error;
		throw new ApiError(0, navigator.onLine ? "NETWORK" : "OFFLINE");
	}
	let value: unknown;
	try {
		value = text === "" ? undefined : JSON.parse(text);
	} catch {
		if (response.ok) throw new ApiError(response.status, "MALFORMED");
	}
	if (response.ok) return value as Value;
	const code = (value as { code?: unknown } | undefined)?.code;
	const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
	throw new ApiError(
		response.status,
		typeof code === "string" ? code : `HTTP_${response.status}`,
		after > 0 ? after : undefined,
	);
}

/** A context for a module's own tests: it does nothing, and what a test needs is given. */
export function fakeContext(given: Partial<ModuleUiContext> = {}): ModuleUiContext {
	const drafts = new Map<string, unknown>();
	const nothing = () => undefined;
	return {
		module: { id: "test", name: "Test", version: "0.0.0" },
		api: () => Promise.resolve(new Response(JSON.stringify({ code: "NOT_FOUND" }), { status: 404 })),
		realtime: () => nothing,
		permissions: [],
		contributions: [],
		locale: "en",
		dir: "ltr",
		serverNow: () => Date.now(),
		addStyle: nothing,
		signal: new AbortController().signal,
		subpath: "",
		navigate: nothing,
		onNavigate: () => nothing,
		theme: "light",
		onTheme: (listener) => {
			listener("light");
			return nothing;
		},
		announce: nothing,
		confirm: () => Promise.resolve(true),
		setTitle: nothing,
		setDirty: nothing,
		drafts: {
			get: (key) => drafts.get(key),
			set: (key, value) => void drafts.set(key, value),
			delete: (key) => void drafts.delete(key),
		},
		...given,
	};
}
