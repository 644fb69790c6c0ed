/**
 * What the tests of a module's server may use: files of server-src whose names end in .test.ts, which
 * narthex-dev modules:test runs. Each test gets the module in a new database, behind the platform's gates.
 */

/** Declares a test. It fails when run throws or rejects, or when it has not ended after a minute. */
export function test(name: string, run: (m: ModuleUnderTest) => unknown): void;
export function test(name: string, options: TestOptions, run: (m: ModuleUnderTest) => unknown): void;

/** Fails unless both values are the same, or have the same members. */
export function equal(got: unknown, want: unknown, what?: string): void;
/** Fails unless the value is truthy. */
export function ok(value: unknown, what?: string): asserts value;

/** A deployment of the module. */
export interface TestOptions {
	/** Such as Europe/Berlin; UTC without it. */
	readonly timeZone?: string;
	/** Values that an administrator has set; every other key has the manifest's default. */
	readonly configuration?: Readonly<Record<string, string | number | boolean>>;
	readonly secrets?: Readonly<Record<string, string>>;
	/** Stand-ins for other modules, by the capability. One that is missing here is absent. */
	readonly capabilities?: Readonly<Record<string, Readonly<Record<string, (input: any) => unknown>>>>;
}

export interface ModuleUnderTest {
	/** Somebody signed in with these permissions, and with those that everybody signed in has. */
	person(...permissions: string[]): Promise<Caller>;
	/** Somebody who has every permission. */
	owner(): Promise<Caller>;
	/** A paired screen. */
	device(...permissions: string[]): Promise<Caller>;
	/** Somebody without an account who has a link. */
	link(subject: string): Promise<Caller>;
	/** Nobody in particular, who may use no route. */
	visitor(): Promise<Caller>;

	/** Moves the clock of the schedules, and makes the runs that become due. Rejects if one of them fails. */
	advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number }): Promise<void>;
	/** The mails that were sent so far. */
	sent(): Promise<readonly { readonly to: readonly string[]; subject: string; text: string; html: string }[]>;
	/** The lines of the platform's log. */
	logs(): Promise<readonly { readonly level: string; text: string; attributes: Record<string, string> }[]>;
	/** Calls a capability that the module provides, as another module. */
	ask(caller: string, capability: string, method: string, input?: unknown): Promise<any>;
	/** Tells the module that a person was erased. */
	erase(userId: string): Promise<void>;
	/** The module's part of a person's export; null if it has nothing. */
	export(userId: string): Promise<any>;
	setTimeZone(zone: string): Promise<void>;
	/** How much a piece of work asks of the platform. */
	count(work: () => unknown): Promise<{ statements: number; exchanges: number }>;

	/** Breaks the connections to the database, once, as a restart of PostgreSQL does. */
	loseDatabase(when: "beforeStatement" | "beforeCommit" | "afterCommit"): Promise<void>;
	/** The results of the next mails. */
	failMail(...results: string[]): Promise<void>;
	/** The errors of the next calls of a bucket: OBJECT_STORAGE_UNAVAILABLE, TIMEOUT and others. */
	failStorage(...codes: string[]): Promise<void>;
	slowStorage(milliseconds: number): Promise<void>;
	/** Every object that is read breaks off after so many bytes; -1 ends that. */
	cutObjects(after: number): Promise<void>;
	/** The errors of the next calls of another module: CAPABILITY_FAILED or CAPABILITY_ABSENT. */
	failCapability(capability: string, ...codes: string[]): Promise<void>;
	/** The next so many calls of people.names, of can, or of whatever, fail. */
	failNames(calls: number): Promise<void>;
	failPermissions(calls: number): Promise<void>;
	overload(calls: number): Promise<void>;
	/** The end of the module's process, and a new one. */
	restart(): Promise<void>;
}

export interface Caller {
	/** As the module gets it: request.principal.userId, or the id of a screen or of a link. */
	readonly id: string;
	get(path: string): Promise<Reply>;
	post(path: string, body?: unknown): Promise<Reply>;
	put(path: string, body?: unknown): Promise<Reply>;
	patch(path: string, body?: unknown): Promise<Reply>;
	delete(path: string, body?: unknown): Promise<Reply>;
	/** Reads a channel until the test ends. */
	subscribe(channel: string): Promise<Subscription>;
	/** Takes permissions away, from the next request on. */
	revoke(...permissions: string[]): Promise<void>;
	/** Sets the name that people.names gives. */
	named(name: string): Promise<void>;
}

export interface Reply {
	readonly status: number;
	/** The value of a JSON body; otherwise its text. */
	readonly body: any;
	/** By lower-case names. */
	readonly headers: Readonly<Record<string, string>>;
}

export interface Subscription extends Reply {
	/** Waits up to 10 s for the next update. */
	next(): Promise<any>;
}
