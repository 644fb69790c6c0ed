/**
 * What the platform gives to the server of a module that is written in TypeScript.
 * docs/modules-typescript.md is the guide.
 *
 * A script has one thread. Every call to the platform is a promise, so other requests go on while one waits;
 * what computes for a second without waiting is interrupted, and its request gets 500. A handler has 30 s.
 * There is no require, no file and no network, and nothing makes code of text.
 */

/** What a handler may return: nothing (204), a {@link Response}, or anything else, sent as JSON (200). */
export type Result = unknown;

/** Who sent a request. An id is opaque; people.names gives names, if module.json asks for them. */
export interface Principal {
	readonly kind: "anonymous" | "authenticated" | "device" | "link";
	readonly userId?: string;
	readonly deviceId?: string;
	readonly linkId?: string;
	/** Of a link: what the module has made it for (links.create). */
	readonly subject?: string;
}

/** A request that has passed every gate: origin, size, permission. */
export interface Request {
	readonly method: string;
	/** From the module's own root, such as /notes/7. */
	readonly path: string;
	readonly principal: Principal;
	readonly query: URLSearchParams;
	readonly headers: { get(name: string): string | null; has(name: string): boolean };
	/** The text of a {name} segment of the route's path. */
	param(name: string): string;
	/** The same, if it is a UUID; otherwise the request is refused with 404 and the code. */
	id(name: string, missing: string): string;
	/** The body as text. What is not UTF-8 is refused with 400. */
	text(): Promise<string>;
	bytes(): Promise<Uint8Array>;
	/** The body as JSON of this shape. Anything else is refused with 400 REQUEST_INVALID. */
	json<M extends Shapes>(members: M): Promise<Shaped<M>>;
	json<T>(shape: Shape<T>): Promise<T>;
	/** The body as any JSON. */
	json(): Promise<unknown>;
}

export type Handler = (request: Request) => Result | Promise<Result>;

/** Options of a route with a body. */
export interface RouteOptions {
	/** 1 to 33554432; without it the route takes no body. Up to 1 MiB it is read before the handler runs. */
	readonly maxBodyBytes?: number;
}

/** What a module declares. A path has literal and {name} segments; a permission is one of module.json's. */
export interface Module {
	get(path: string, permission: string, handler: Handler): void;
	post(path: string, permission: string, handler: Handler): void;
	post(path: string, permission: string, options: RouteOptions, handler: Handler): void;
	put(path: string, permission: string, handler: Handler): void;
	put(path: string, permission: string, options: RouteOptions, handler: Handler): void;
	patch(path: string, permission: string, handler: Handler): void;
	patch(path: string, permission: string, options: RouteOptions, handler: Handler): void;
	delete(path: string, permission: string, handler: Handler): void;
	delete(path: string, permission: string, options: RouteOptions, handler: Handler): void;
	/** Names the GET route that shows whether the module works, for the rehearsal of an upgrade. */
	probe(path: string): void;
	/** A GET route for programs such as a phone's calendar. Returns the whole text, at most 5 MiB. */
	feed(path: string, permission: string, mediaType: string,
		handler: (request: Request) => string | Promise<string>): void;
	/** A channel that pages and screens read live. The snapshot is what a new reader gets first. */
	channel(name: string, permission: string, snapshot: () => unknown): void;
	/** A channel of which only the newest value of each key counts. */
	latestChannel(name: string, permission: string, snapshot: () => unknown): void;
	/** A table that people list, search, edit, order, export and import. */
	collection<Row = any>(collection: Collection<Row>): void;
	/** Runs regularly, once in each interval of all processes: 1 minute to 30 days. */
	every(name: string, interval: Interval | number, run: () => unknown): void;
	/** Methods for other modules; module.json lists the capability in provides. */
	provide(capability: string, methods: Record<string, (input: any, caller: string) => unknown>): void;
	/** Deletes what the module stores about a person. May be called twice. */
	personErased(forget: (userId: string) => unknown): void;
	/** Returns what the module stores about a person; undefined if that is nothing. */
	personExport(collect: (userId: string) => unknown): void;
	/** Runs once before the first request. */
	start(run: () => unknown): void;
}

/** A table of the module with the routes that most modules write for each of theirs: the Collection of the Go
 * SDK, by its rules. A module that starts without the table is told the migration that makes it. */
export interface Collection<Row = any> {
	/** "/books": its last part is the name in answers and of the table. */
	readonly path: string;
	/** The columns, each with its type and the words of the Go SDK's tag:
	 * { title: "text, 1..120, key, sort, search", pages: "integer?, 1..5000" }. The types are text, integer,
	 * number, boolean, time, texts and json; with a ? it may be null. id and rev are there in any case. */
	readonly fields: Readonly<Record<string, string>>;
	/** The permission to list and read, and for the channel. */
	readonly read: string;
	/** The permission for everything else. */
	readonly write: string;
	/** The word in codes such as BOOK_NOT_FOUND; otherwise the path's without its last s. */
	readonly one?: string;
	/** Otherwise as the path. */
	readonly table?: string;
	/** Each change is sent to it, as { rev, event, id }. */
	readonly channel?: string;
	/** How many rows there may be. */
	readonly max?: number;
	/** Of a row; otherwise 64 KiB. */
	readonly maxBodyBytes?: number;
	/** The list is answered as a whole; needs a max. */
	readonly whole?: boolean;
	/** People put the rows in their own order, in the column position. */
	readonly ordered?: boolean;
	/** SQL about "row": it cannot be removed. */
	readonly used?: string;
	/** SQL about "row" and $1, the pattern of a LIKE, instead of the word search. */
	readonly search?: string;
	/** SQL about "row": the JSON that the pages of the list have of it. */
	readonly listed?: string;
	readonly only?: readonly ("list" | "read" | "create" | "edit" | "remove" | "place" | "export" | "import")[];
	/** Looks at a row that a client or a file sends, after its words were checked; without await. It may change
	 * the row, and throws what refuse or a shape makes. */
	readonly check?: (row: Row) => void;
	/** Runs a change in a transaction that locks out other changes, instead of counting it in the table of the
	 * rev and telling the channel. */
	readonly change?: (change: (tx: Statements) => Promise<CollectionEvent>) => Promise<unknown>;
}

/** What a change of a collection did; without id if rows were imported. */
export interface CollectionEvent {
	readonly event: "created" | "edited" | "placed" | "removed" | "imported";
	readonly id: string | null;
}

export interface Interval {
	readonly days?: number;
	readonly hours?: number;
	readonly minutes?: number;
	readonly seconds?: number;
}

/** The server of a module: the default export of server-src/index.ts. */
export interface ModuleDefinition {
	readonly setup: (m: Module) => void;
}
export function defineModule(setup: (m: Module) => void): ModuleDefinition;

// The database.

/**
 * A value of a statement. A list of texts or of whole numbers is an array for "= ANY($1)"; other objects and
 * lists are sent as JSON.
 */
export type SQLValue = null | undefined | boolean | number | bigint | string | Date | Uint8Array | object;

/**
 * Statements in the module's own schema, with values for $1, $2 and so on. Of a row, timestamptz is a Date;
 * date and timestamp, which name no moment, are texts; numeric is a text; json and jsonb are values, bytea is
 * a Uint8Array; a bigint beyond 2^53 is refused. Errors are {@link PlatformError}s.
 */
export interface Statements {
	/** All rows of a query. */
	query<Row = any>(sql: string, ...values: SQLValue[]): Promise<Row[]>;
	/** The first row, or null. */
	one<Row = any>(sql: string, ...values: SQLValue[]): Promise<Row | null>;
	/** The number of affected rows. */
	exec(sql: string, ...values: SQLValue[]): Promise<number>;
}

export interface Changes {
	/**
	 * Runs work in a transaction with the rev that the statement returned, and after the commit publishes
	 * what it returns: for each channel its update.
	 */
	write(work: (tx: Statements, rev: number) => Promise<Record<string, unknown> | void>): Promise<void>;
}

export const db: Statements & {
	/** Commits when work returns, rolls back when it throws. A transaction ends after 30 s. */
	tx<T>(work: (tx: Statements) => Promise<T>): Promise<T>;
	/** A value for a json or jsonb column that would be sent as something else: a text, a number, a list. */
	json(value: unknown): object;
	/** Writes that run one after the other, are counted and published: "UPDATE ... RETURNING rev". */
	changes(statement: string): Changes;
};

/** An error of the platform, with its code. Of the database, code is DATABASE_ERROR. */
export class PlatformError extends Error {
	readonly code: string;
	/** Such as 23505, a unique violation. */
	readonly sqlState?: string;
	/** The violated constraint's name. */
	readonly constraint?: string;
}

// Answers.

/** An error that is sent to the client, with its status and its code. refuse makes one. */
export class Refusal extends Error {
	readonly status: number;
	readonly code: string;
}
/** throw refuse(404, "NOTE_NOT_FOUND") */
export function refuse(status: number, code: string): Refusal;
/** 400 REQUEST_INVALID; the author reads detail (modules:logs), the client does not. */
export function invalid(detail: string): Refusal;

/** A response with a status, headers or a body of its own. */
export class Response {
	constructor(body?: string | Uint8Array | null, init?: ResponseInit);
	static json(value: unknown, init?: ResponseInit): Response;
	readonly status: number;
}
export interface ResponseInit {
	readonly status?: number;
	readonly headers?: Record<string, string> | [string, string][];
}
/** 201 with the value as JSON. */
export function created(value: unknown): Response;

// Shapes of JSON.

/** Returns the value, or refuses it with 400. place names it for the author. */
export type Shape<T> = (value: unknown, place: string) => T;
export type OptionalShape<T> = Shape<T> & { readonly optional: true };
export type Shapes = Record<string, Shape<any>>;
/** What a request's JSON is when its members have these shapes. */
export type Shaped<M extends Shapes> =
	{ [K in keyof M as M[K] extends { optional: true } ? never : K]: ReturnType<M[K]> } &
	{ [K in keyof M as M[K] extends { optional: true } ? K : never]?: ReturnType<M[K]> };

export const shape: {
	/** Characters, with line breaks. */
	text(least: number, most: number): Shape<string>;
	/** One line, without spaces around it. */
	line(least: number, most: number): Shape<string>;
	integer(least: number, most: number): Shape<number>;
	number(least: number, most: number): Shape<number>;
	boolean(): Shape<boolean>;
	/** A UUID in lower case. */
	id(): Shape<string>;
	/** 2026-05-31T08:00:00.000Z */
	date(): Shape<Date>;
	/** 2026-05-31 */
	day(): Shape<string>;
	oneOf<const V extends readonly (string | number)[]>(...values: V): Shape<V[number]>;
	list<T>(element: Shape<T>, most: number): Shape<T[]>;
	/** May be absent. */
	optional<T>(inner: Shape<T>): OptionalShape<T>;
	/** May be null. */
	nullable<T>(inner: Shape<T>): Shape<T | null>;
	/** Has these members and no others. */
	object<M extends Shapes>(members: M): Shape<Shaped<M>>;
};

// The platform.

/** Whether the request's principal holds a permission of this module. */
export function can(permission: string): Promise<boolean>;

export const realtime: {
	/** Sends an update, at most 64 KiB of JSON, to every reader of a channel. Call it after the commit. */
	publish(channel: string, update: unknown): Promise<void>;
	/** For a latestChannel: replaces the key's value, at most 8 KiB. */
	publishLatest(channel: string, key: string, value: unknown): Promise<void>;
};

export interface StoredObject {
	readonly key: string;
	readonly size: number;
	readonly contentType: string;
	readonly etag: string;
	readonly modified: Date | null;
}
/** Objects of at most 32 MiB. */
export interface Bucket {
	list(prefix?: string, after?: string, limit?: number): Promise<{ objects: StoredObject[]; next: string }>;
	head(key: string): Promise<StoredObject>;
	get(key: string): Promise<StoredObject & { readonly bytes: Uint8Array }>;
	/** A request as the content is stored while it arrives. */
	put(key: string, contentType: string, content: Request | Uint8Array | string): Promise<StoredObject>;
	delete(key: string): Promise<void>;
	/** A URL with which a browser reads the object: 60 to 21600 seconds, 900 without. */
	createReadURL(key: string, options?: { seconds?: number; downloadAs?: string; unchanging?: boolean }):
		Promise<{ url: string; expiresAt: Date }>;
}
export const storage: { bucket(name: string): Bucket };

export type MailAddress = string | { readonly address: string; readonly name?: string };
export interface Message {
	readonly to: MailAddress[];
	readonly subject: string;
	readonly text?: string;
	readonly html?: string;
	readonly replyTo?: MailAddress;
	/** Of the text, such as "de"; without it that of the house. */
	readonly language?: string;
}
export type MailResult = "SENT" | "NOT_CONFIGURED" | "MESSAGE_INVALID" | "CONNECTION_FAILED" | "TLS_FAILED" |
	"AUTHENTICATION_FAILED" | "REJECTED" | "DEFERRED" | "TIMEOUT";
export const mail: { send(message: Message): Promise<MailResult> };

/** Values that administrators have set, or the defaults of module.json; null without one. */
export const config: {
	string(key: string): string | null;
	integer(key: string): number | null;
	boolean(key: string): boolean | null;
};
/** The deployment's value of a secret. Read it whenever it is needed, and never log it. */
export function secret(key: string): Promise<string>;

export interface House {
	readonly name: string;
	readonly language: "en" | "de";
	/** Such as Europe/Berlin; UTC until an administrator has set it. */
	readonly timeZone: string;
	readonly rev: number;
}
export function house(): Promise<House>;

export const people: {
	/** Names by id, at most 200; of people who were erased there is none. */
	names(ids: Iterable<string>): Promise<Record<string, string>>;
};

export const links: {
	/**
	 * The address of a link for somebody without an account. It cannot be read again. With the id of a person it
	 * does not work while they are deactivated.
	 */
	create(subject: string, ends?: Date, userId?: string): Promise<string>;
	revoke(subject: string): Promise<void>;
	/** Whose the links of a subject are, as create takes it; "": of somebody without an account. */
	assign(subject: string, userId: string): Promise<void>;
};

/** Another module's methods; module.json declares the dependency. */
export function capability(id: string): { call<T = any>(method: string, input?: unknown): Promise<T> };

/** Lines of the platform's log. console.log writes for the author alone (modules:logs). */
export const log: {
	info(message: string, attributes?: Record<string, unknown>): Promise<void>;
	warn(message: string, attributes?: Record<string, unknown>): Promise<void>;
	error(message: string, attributes?: Record<string, unknown>): Promise<void>;
};

// The few names of browsers that a script has.

declare global {
	const console: Record<"log" | "info" | "warn" | "error" | "debug", (...values: unknown[]) => void>;
	function setTimeout<A extends unknown[]>(
		f: (...values: A) => unknown, milliseconds?: number, ...values: A): number;
	function clearTimeout(id: number | undefined): void;
	function queueMicrotask(f: () => void): void;
	class URLSearchParams {
		constructor(init?: string | Record<string, string> | Iterable<[string, string]>);
		append(name: string, value: string): void;
		delete(name: string): void;
		get(name: string): string | null;
		getAll(name: string): string[];
		has(name: string): boolean;
		set(name: string, value: string): void;
		toString(): string;
		[Symbol.iterator](): Iterator<[string, string]>;
	}
	class TextEncoder {
		encode(text?: string): Uint8Array;
	}
	class TextDecoder {
		/** Throws for bytes that are not UTF-8. */
		decode(bytes?: Uint8Array | ArrayBuffer): string;
	}
	const crypto: {
		randomUUID(): string;
		getRandomValues<T extends ArrayBufferView>(array: T): T;
		readonly subtle: {
			digest(name: "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512", data: Uint8Array | ArrayBuffer | string):
				Promise<ArrayBuffer>;
		};
	};
}
