/**
 * The browser SDK of Narthex: the types of a module's UI, display and contributions, and of what the host
 * passes to them.
 *
 * An artifact is one ES module whose default export comes from one of the three define functions. They stamp
 * it with the ABI for which it was built. The host refuses another ABI and reports that the module must be
 * rebuilt.
 */

/** Version of this SDK. */
export const sdkVersion = "0.1.2";

/** The ABIs of this SDK. A host mounts only these. */
export const moduleUiAbi = 1;
export const displayAbi = 1;
export const contributionAbi = 1;

/**
 * The state of a channel's realtime stream. Only "live" means that what is shown is the server's current
 * state.
 */
export type StreamState =
	/** asking for the first snapshot */
	| "connecting"
	/** the snapshot has arrived and updates follow */
	| "live"
	/** lost or refused for now; it reconnects by itself, with a snapshot */
	| "waiting"
	/** closed because the page was hidden for a minute; it resumes when the page becomes visible */
	| "paused"
	/** no such channel, or no permission: it asks again after a minute at most */
	| "refused";

/** The reader of a channel. The host calls its methods one after another, never concurrently. */
export interface StreamReader<Snapshot = unknown, Update = unknown> {
	/** The whole state. It replaces everything before it, and is sent again after every interruption. */
	snapshot(value: Snapshot): void;
	/** One change since the last snapshot or update, in order. */
	update?(value: Update): void;
	/**
	 * The new state of the stream. It is called on every change, but not for the initial state
	 * ("connecting").
	 */
	state?(state: StreamState): void;
}

/** A contribution of another module to a capability of this one. */
export interface Contribution<Value = unknown> {
	/** "<module id>.<name>" */
	readonly id: string;
	readonly version: string;
	/** The capability of this module that it contributes to. */
	readonly capability: string;
	/**
	 * Loads the artifact and returns the value that was passed to its defineContribution. A second call
	 * returns the same value. It rejects if the artifact cannot be loaded or was built for another ABI.
	 */
	load(): Promise<Value>;
	/**
	 * A request to the routes of the contributing module, as the signed-in person, with the rules of
	 * Context.api; pass it to what was loaded. A 403 is left to the contribution: the host does nothing about
	 * it. On a screen it rejects with a TypeError, because a screen has only the permission of the display
	 * that it shows.
	 */
	api(path: string, init?: RequestInit): Promise<Response>;
}

/** What an administrator has set for the whole house. */
export interface House {
	/** null: no name was given. */
	readonly name: string | null;
	/** The language of the house's mails, as a BCP 47 tag. */
	readonly language: string;
	/** The IANA name of the time zone; null: none is set. Then servers use UTC, and pages the browser's. */
	readonly timeZone: string | null;
}

/** The context of every artifact, wherever it is mounted. */
export interface Context {
	readonly module: { readonly id: string; readonly name: string; readonly version: string };

	/**
	 * A request to this module's own routes: path begins with "/" and is relative to the module's root, so
	 * nothing else can be reached. Cookies are sent. Of the headers only Accept, Accept-Language,
	 * Content-Language and Content-Type may be set, so send metadata in the query. It resolves with every
	 * response, whatever its status. If the person is no longer signed in, the host notices the 401 and shows
	 * the sign-in form. It rejects with a TypeError if there is no network, and with an AbortError if
	 * init.signal or the module's own signal aborts.
	 */
	api(path: string, init?: RequestInit): Promise<Response>;

	/**
	 * Reads a channel of this module until the returned function is called or the module is unmounted. The
	 * host reconnects. At most two channels can be read at a time; a third one throws a RangeError.
	 */
	realtime<Snapshot = unknown, Update = unknown>(
		channel: string,
		reader: StreamReader<Snapshot, Update>,
	): () => void;

	/** The permissions of this module that the caller holds: hints for what to show. The server decides. */
	readonly permissions: readonly string[];

	/** The contributions of other modules to capabilities of this one. */
	readonly contributions: readonly Contribution[];

	/**
	 * On a paired screen, how administrators call it. Undefined on pages, and if a person opened the display.
	 * After a change of the label the display is mounted again.
	 */
	readonly screen?: { readonly label: string };

	/**
	 * The language of the user interface as a BCP 47 tag, and its direction. After a change of the language
	 * the module is mounted again.
	 */
	readonly locale: string;
	readonly dir: "ltr" | "rtl";

	/**
	 * The house as it is now; undefined until the page knows it. Every time that people read or type is a time
	 * in its zone: the kit's houseTime, localTime and instantOf follow it.
	 */
	readonly house: House | undefined;

	/**
	 * Milliseconds since 1970 by the server's clock, as far as it is known. It does not jump when the
	 * browser's clock is changed.
	 */
	serverNow(): number;

	/**
	 * Adds a stylesheet until the module is unmounted. It applies only inside the module's container. It
	 * overrides how plain elements look, and the kit's components override it.
	 */
	addStyle(css: string): void;

	/** Aborted when the module is unmounted. */
	readonly signal: AbortSignal;
}

/**
 * Drafts survive an unmount, the end of the session and, if they are plain data, a reload. They end with the
 * tab, at a sign-out and when another person signs in.
 */
export interface Drafts {
	get(key: string): unknown;
	set(key: string, value: unknown): void;
	delete(key: string): void;
	/**
	 * A form with this draft is shown until the returned function is called. If there is a draft then, the
	 * person is told that it is kept, and can discard it. While a form has a draft, closing the page asks
	 * first. The kit's useDraft does all of this.
	 */
	form(key: string): () => void;
}

/** The action that a toast offers. */
export interface Action {
	readonly label: string;
	run(): unknown;
}

export interface Confirmation {
	/** The question. */
	readonly title: string;
	/** What happens: one sentence, or one for each effect. */
	readonly body: string | readonly string[];
	/** Verbs: "Delete", and the safe choice: "Keep it". */
	readonly yes: string;
	readonly no: string;
	/** For an action that cannot be undone. */
	readonly danger?: boolean;
}

/** The context of a module's UI in the Dashboard. */
export interface ModuleUiContext extends Context {
	/** The module's own part of the address, decoded, without a leading slash: "" is its start. */
	readonly subpath: string;
	/**
	 * Goes to an address of the module. With replace, Back does not return to the current one. With stay, the
	 * focus and the scroll position remain, for example from one month to the next. It does not ask about
	 * unsaved work, because the module knows what it leaves.
	 */
	navigate(subpath: string, options?: { replace?: boolean; stay?: boolean }): void;
	/**
	 * Calls the listener whenever the module's own part of the address has changed, until the returned
	 * function is called or the module is unmounted. While the module is dirty, the person is asked before
	 * the browser's buttons take effect.
	 */
	onNavigate(listener: (subpath: string) => void): () => void;
	/** The current theme. The custom properties --d-* change by themselves. */
	readonly theme: "light" | "dark";
	/** Calls the listener with the theme, now and whenever it changes. */
	onTheme(listener: (theme: "light" | "dark") => void): () => void;
	/**
	 * Shows a message in a toast, which screen readers also read once. "assertive" is for failures: it
	 * interrupts and stays until it is closed. The action is Undo or Try again.
	 */
	announce(text: string, level?: "polite" | "assertive", action?: Action): void;
	/**
	 * Asks before an action that cannot be undone. It resolves to whether the person agreed; Escape means no.
	 */
	confirm(question: Confirmation): Promise<boolean>;
	/** Sets the page's title. Until it is called, the title is the module's name. */
	setTitle(title: string): void;
	/**
	 * While true, leaving the module asks first, because unsaved work would be lost. A form whose words are in
	 * drafts does not need it.
	 */
	setDirty(dirty: boolean): void;
	readonly drafts: Drafts;
	/** Only for the module "home", which is shown between the greeting and the doors of Home. */
	readonly home?: HomeTools;
}

/** What the module "home" gets besides. */
export interface HomeTools {
	/**
	 * When this person's previous visit of Home in this browser ended, in milliseconds since 1970: they have
	 * not seen what is newer. Undefined on the first visit, and if the browser stores nothing.
	 */
	readonly lastVisit: number | undefined;
	/** Sets what the door of a module says, until Home is left. Undefined: only its name. */
	setDoor(moduleId: string, door: Door | undefined): void;
}

/** What the door of a module says below its name. */
export interface Door {
	/** A few words, for example "2 requests". */
	readonly line: string;
	/** Something there waits for this person: the door is lit. */
	readonly waits: boolean;
}

/** The definition of a contribution to home.tiles: one card of Home. Pass it to defineContribution. */
export interface Tile {
	/** The heading of the card, in the given language. */
	title(locale: string): string;
	/** Fills the container. It may return a function that ends the tile. */
	render(container: HTMLElement, tools: TileTools): Unmount | void | Promise<Unmount | void>;
}

/** What a tile gets. */
export interface TileTools {
	/** Sends a request to the routes of the tile's own module, as the signed-in person. */
	api(path: string, init?: RequestInit): Promise<Response>;
	/** Milliseconds since 1970, by the server's clock. */
	serverNow(): number;
	readonly locale: string;
	readonly dir: "ltr" | "rtl";
	/** The tile's own module, for links: "#/m/<module id>/<part of its address>". */
	readonly moduleId: string;
	/** Aborted when the tile is ended. */
	readonly signal: AbortSignal;
	/** Calls the listener every 15 s while the page is seen, and when the person returns to it. */
	refresh(listener: () => unknown): void;
	/**
	 * When this person's previous visit ended, in milliseconds since 1970: what is newer is new to them.
	 * Undefined on the first visit.
	 */
	readonly lastVisit: number | undefined;
	/**
	 * Says a few words below the module's name at its door. With waits, something waits there for this
	 * person: the door is lit, and the card is among the first the next time. "" says nothing.
	 */
	door(line: string, waits?: boolean): void;
	/** There is nothing to show to this person: hides the card until a refresh that does not call hide. */
	hide(): void;
}

/** The context of a display's artifact on a wall. */
export type DisplayContext = Context;

/** Ends what mount started. What was started with context.signal, addStyle and realtime ends by itself. */
export type Unmount = () => void;

export interface ModuleUi {
	/**
	 * Renders into the container, which is empty and belongs to the module. It may take ten seconds. If it
	 * throws or rejects, the error is shown as a failure with a way to retry.
	 *
	 * Headings begin with h2. Plain elements look like the Dashboard's by themselves. Class names are the
	 * module's own, except for those that begin with d- (the kit's) or host-: a button may have the class
	 * d-primary, d-quiet, d-text or d-danger, and there are d-button for a link, d-card, d-chip and d-note
	 * (both also with d-ok, d-warn or d-bad), d-field, d-fields, d-row, d-stack, d-list, d-name, d-second,
	 * d-muted, d-code and d-unseen. Colours, sizes and spaces are the custom properties --d-*, in the light
	 * and the dark theme.
	 */
	mount(container: HTMLElement, context: ModuleUiContext): Unmount | void | Promise<Unmount | void>;
}

export interface Display {
	/** Renders into the container, which is the whole screen. Plain elements look as on a page. */
	mount(container: HTMLElement, context: DisplayContext): Unmount | void | Promise<Unmount | void>;
}

/** An artifact's default export, as the host sees it. */
export interface Artifact<Kind extends string, Definition> {
	readonly narthex: Kind;
	readonly abi: number;
	readonly definition: Definition;
}
export type ModuleUiArtifact = Artifact<"module-ui", ModuleUi>;
export type DisplayArtifact = Artifact<"display", Display>;
export type ContributionArtifact<Value = unknown> = Artifact<"contribution", Value>;

/** Creates the default export of entrypoints.ui. */
export function defineModuleUi(ui: ModuleUi): ModuleUiArtifact {
	return Object.freeze({ narthex: "module-ui", abi: moduleUiAbi, definition: ui });
}

/** Creates the default export of entrypoints.display. */
export function defineDisplay(display: Display): DisplayArtifact {
	return Object.freeze({ narthex: "display", abi: displayAbi, definition: display });
}

/**
 * Creates the default export of a contribution. The module that owns the capability defines what its value
 * is.
 */
export function defineContribution<Value>(value: Value): ContributionArtifact<Value> {
	return Object.freeze({ narthex: "contribution", abi: contributionAbi, definition: value });
}

/** The failure of a jsonRequest. */
export class ApiError extends Error {
	override readonly name = "ApiError";

	constructor(
		/** The HTTP status; 0 if there was no response. */
		readonly status: number,
		/**
		 * The server's code; "OFFLINE" or "NETWORK" if there was no response, "MALFORMED" if it was not JSON.
		 */
		readonly code: string,
		/** Seconds until the server accepts the next attempt, if it says so. */
		readonly retryAfter?: number,
		/** The response's body, if it was JSON. */
		readonly body?: unknown,
	) {
		super(`${code} (${status})`);
	}
}

/**
 * A request to the module's own routes that sends and receives JSON. It returns the response's body, or
 * undefined if that is empty. Any other result is an ApiError, except the AbortError of an unmounted module.
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
		value,
	);
}

/** Why a request of a moduleApi failed, for a text that the module shows. */
export type Refusal = "offline" | "denied" | "gone" | "conflict" | "tooLarge" | "busy" | "failed";

/** The result of a request: its value, or why it failed, with the body of the response. */
export type Result<Value, Why extends string = Refusal> =
	| { readonly ok: true; readonly value: Value }
	| { readonly ok: false; readonly why: Why; readonly body: unknown };

export interface ModuleApi<Why extends string> {
	/** Sends a request, and returns the JSON of its response. A Blob is sent as it is, with its type. */
	send<Value>(
		method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
		path: string,
		body?: object,
	): Promise<Result<Value, Why>>;
	/** Fetches a file; saveFile saves it. */
	file(path: string): Promise<Result<Blob, Why>>;
}

const refusals: Readonly<Record<number, Refusal>> = {
	401: "denied",
	403: "denied",
	404: "gone",
	409: "conflict",
	413: "tooLarge",
	429: "busy",
	503: "busy",
};

/**
 * The module's own routes. Its requests never reject: each one results in a value or in a Refusal. codes
 * names the refusals of the module's own codes, which precede those of the status.
 */
export function moduleApi<const Own extends string>(
	context: Pick<Context, "api">,
	codes: Readonly<Record<string, Own>>,
): ModuleApi<Own | Refusal> {
	const result = async <Value>(request: Promise<Value>): Promise<Result<Value, Own | Refusal>> => {
		try {
			return { ok: true, value: await request };
		} catch (error) {
			if (!(error instanceof ApiError)) return { ok: false, why: "failed", body: undefined };
			const why = error.code === "OFFLINE" ? "offline" : (codes[error.code] ?? refusals[error.status]);
			return { ok: false, why: why ?? "failed", body: error.body };
		}
	};
	return {
		send: <Value>(...[method, path, body]: Parameters<ModuleApi<Own>["send"]>) => {
			if (!(body instanceof Blob)) return result(jsonRequest<Value>(context, method, path, body));
			const headers = { "Content-Type": body.type || "application/octet-stream" };
			const api: Context["api"] = (to, init) => context.api(to, { ...init, body, headers });
			return result(jsonRequest<Value>({ api }, method, path));
		},
		file: (path) => {
			let content = new Blob();
			const api: Context["api"] = async (to, init) => {
				const response = await context.api(to, init);
				if (!response.ok) return response;
				content = await response.blob();
				return new Response();
			};
			return result(jsonRequest({ api }, "GET", path).then(() => content));
		},
	};
}

/** Lets the browser save a file. */
export function saveFile(content: Blob, name: string): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(content);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // by then the browser has read it
}

/** A channel that is being followed. */
export interface Live<State> {
	/** The newest state; undefined before the first snapshot. */
	readonly state: State | undefined;
	/**
	 * The server's time. Right after a start the platform's clock may still be the browser's own, and a small
	 * computer's clock can be wrong by years. Until it agrees with the time of the newest state, that time is
	 * used.
	 */
	now(): number;
	stop(): void;
}

export interface LiveReader<State, Update> {
	/**
	 * Returns the state after an update, or the same state if it contains the update already. undefined means
	 * that an update in between is missing, or that this one has no content: then a new snapshot is requested,
	 * but not at the same moment as by all other readers.
	 */
	apply(state: State, update: Update): State | undefined;
	/** Called with each new state. */
	changed(state: State): void;
	/** The channel may not be read. */
	refused?(): void;
}

/** Follows a channel whose snapshots have the server's time. */
export function live<State extends { readonly serverTime: string }, Update>(
	context: Pick<Context, "realtime" | "serverNow">,
	channel: string,
	{ apply, changed, refused }: LiveReader<State, Update>,
): Live<State> {
	let state: State | undefined;
	let received = 0;
	let again: ReturnType<typeof setTimeout> | undefined;
	const become = (next: State) => {
		if (next === state) return;
		if (next.serverTime !== state?.serverTime) received = performance.now();
		state = next;
		changed(next);
	};
	const follow = () =>
		context.realtime<State, Update>(channel, {
			snapshot: become,
			update: (update) => {
				const next = state && apply(state, update);
				if (next !== undefined) become(next);
				else if (state !== undefined) again ??= setTimeout(restart, Math.random() * 500);
			},
			state: (now) => now === "refused" && refused?.(),
		});
	const restart = () => {
		again = undefined;
		end();
		end = follow();
	};
	let end = follow();
	return {
		get state() {
			return state;
		},
		now() {
			const told = context.serverNow();
			if (state === undefined) return told;
			const counted = Date.parse(state.serverTime) + performance.now() - received;
			return Math.abs(told - counted) < 10_000 ? told : counted;
		},
		stop() {
			clearTimeout(again);
			end();
		},
	};
}

/** A text with a form for each plural rule of its language, for example "1 song", "2 songs". */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };
/** A text in which {name} is a placeholder. The number in {count} chooses the form of a plural. */
export type Text = string | Plural;
export type Fillings = Readonly<Record<string, string | number>>;

/** The form of a text for the number in the placeholder "count". */
export function formOf(text: Text, fillings: Fillings, language: string): string {
	if (typeof text === "string") return text;
	const { count } = fillings;
	return text[new Intl.PluralRules(language).select(typeof count === "number" ? count : 0)] ?? text.other;
}

/** A text with its placeholders filled in. Numbers are in the format of the language. */
export function fillIn(
	text: Text,
	fillings: Fillings,
	language: string,
	shown = (inserted: string): string => inserted,
): string {
	return formOf(text, fillings, language).replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = fillings[name] ?? "";
		return shown(typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value);
	});
}

/** The texts of a module, by their ids. */
export interface Words<Id extends string> {
	(id: Id, fillings?: Fillings): string;
	/** Their language with its region, for formats and for the attribute lang. */
	readonly language: string;
}

/**
 * The texts in the Dashboard's language, or in English if there are none in that language. texts has the
 * languages by their codes.
 */
export function words<Id extends string>(
	context: Pick<Context, "locale">,
	texts: { readonly en: Readonly<Record<Id, Text>>; readonly [code: string]: Readonly<Record<Id, Text>> },
): Words<Id> {
	const code = context.locale.toLowerCase().split("-")[0] ?? "";
	const own = Object.hasOwn(texts, code) ? texts[code] : undefined;
	const language = own === undefined ? "en" : context.locale;
	const say = (id: Id, fillings: Fillings = {}) => fillIn((own ?? texts.en)[id], fillings, language);
	return Object.assign(say, { language });
}

/** A context for a module's own tests: its functions do nothing, and a test overrides what it needs. */
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
		house: undefined,
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
			form: () => nothing,
		},
		...given,
	};
}
