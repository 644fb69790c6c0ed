import type { ServerClock } from "../host/clock";
import type { MountedEntry } from "../host/context";
import { byName, listOf, object, orAbsent, orNull, type Shape, text } from "../host/shape";

/** The server's description of the display to mount. */
export type Descriptor = MountedEntry & {
	readonly artifactUrl: string;
	/** The module's name in further languages. */
	readonly translations: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
};

/** The module's name in the language of a tag, if there is one. */
export const nameIn = (tag: string, { name, translations }: Descriptor): string =>
	translations?.[tag.split("-")[0] ?? ""]?.["name"] ?? name;

/** The result of requesting the descriptor. */
export type Resolution =
	| { readonly is: "descriptor"; readonly descriptor: Descriptor }
	/** 401 or 403: not allowed to see this display */
	| { readonly is: "denied"; readonly status: 401 | 403 }
	/** no such display runs */
	| { readonly is: "absent" }
	/** no response from the platform; answered if something else responded */
	| { readonly is: "unreachable"; readonly answered: boolean };

/** A pairing as its screen sees it. */
export interface Pairing {
	readonly state: string;
	readonly pairingCode: string;
	/** Its remaining time, in milliseconds. */
	readonly remaining: number;
}

/**
 * A JSON response from the platform, or the reason why there is none. Status 0: no response, or not the
 * platform's.
 */
interface Answer {
	readonly status: number;
	readonly body: unknown;
	readonly code: string | undefined;
	readonly headers: Headers;
}

const requestLimit = 10_000; // milliseconds, for a response with its body

const descriptorShape: Shape<Descriptor> = object({
	moduleId: text,
	name: text,
	translations: orAbsent(byName(byName(text))),
	version: text,
	artifactUrl: text,
	apiRoot: text,
	realtimeRoot: text,
	permissions: listOf(text),
	screen: orAbsent(object({ label: text })),
	contributions: listOf(
		object({ id: text, version: text, capability: text, moduleId: text, moduleVersion: text }),
	),
});
const pairingShape = object({ state: text, pairingCode: text, expiresAt: text });
const claimedShape = object({ state: text, moduleId: text, label: text });
const houseShape = object({
	...{ name: orNull(text), language: text, timeZone: orNull(text) },
	accent: orAbsent(text), // a newer server may have one more
});
const codeShape = object({ code: text });

/** The requests of a display's own page. A response that is not the platform's JSON counts as none. */
export class DisplayPlatform {
	constructor(
		readonly moduleId: string,
		readonly clock: ServerClock,
	) {}

	async resolve(): Promise<Resolution> {
		const { status, body, code, headers } = await request("GET", `/api/v1/module-displays/${this.moduleId}`);
		if (status === 401 || status === 403) return { is: "denied", status };
		if (status === 404 && code === "NOT_FOUND") return { is: "absent" };
		const descriptor = status === 200 ? shaped(descriptorShape, body) : undefined;
		if (descriptor === undefined) return { is: "unreachable", answered: status !== 0 };
		this.clock.observe(headers.get("Date") ?? ""); // whole seconds: the first heartbeat is more exact
		return { is: "descriptor", descriptor };
	}

	/** The pairing that this browser has requested. "none" if there is none, undefined without a response. */
	async pairing(): Promise<Pairing | "none" | undefined> {
		const answer = await request("GET", "/api/v1/device-pairing");
		return answer.status === 404 ? "none" : pairingOf(answer);
	}

	/** Requests a pairing. A refusal has its status and how many milliseconds to wait. */
	async pair(): Promise<Pairing | { readonly status: number; readonly after: number }> {
		const answer = await request("POST", "/api/v1/device-pairing", { moduleId: this.moduleId });
		const seconds = Number(answer.headers.get("X-Retry-After") ?? 0);
		return pairingOf(answer) ?? { status: answer.status, after: seconds * 1_000 };
	}

	/**
	 * Collects the credential, and may be repeated until the credential is used. It returns the label, or the
	 * status of a refusal.
	 */
	async claim(): Promise<{ readonly label: string } | { readonly status: number }> {
		const answer = await request("POST", "/api/v1/device-pairing/claim", {});
		const claimed = answer.status === 200 ? shaped(claimedShape, answer.body) : undefined;
		return claimed ?? { status: answer.status };
	}

	/** The house, or undefined without a response. */
	async house(): Promise<ReturnType<typeof houseShape> | undefined> {
		const { status, body } = await request("GET", "/api/v1/house");
		return status === 200 ? shaped(houseShape, body) : undefined;
	}

	/** Whether the server itself responds, whatever the state of its database. */
	async alive(): Promise<boolean> {
		const { status, body } = await request("GET", "/api/v1/health/live");
		return status === 200 && shaped(object({ status: text }), body)?.status === "live";
	}

	/** Whether somebody is signed in here who may not see this display. Their requests are no screen's. */
	async personIsHere(): Promise<boolean> {
		try {
			const init = { cache: "no-store", headers: { Accept: "text/html" } } as const;
			const page = await answered("GET", location.pathname, init);
			return page.response.status === 403 && isForPerson(page.text);
		} catch {
			return false;
		}
	}

	/** Signs that person out; false: that failed. */
	async signOut(): Promise<boolean> {
		return (await request("POST", "/api/auth/sign-out", {})).status === 200;
	}

	/** The hash of the host script that the server has now, or undefined. */
	async hostScript(): Promise<string | undefined> {
		try {
			const page = await answered("GET", location.pathname, { cache: "no-cache" });
			return page.response.ok ? hostHash(page.text) : undefined;
		} catch {
			return undefined;
		}
	}
}

/** Whether a page is the one for a signed-in person who may not see the display. */
const isForPerson = (page: string): boolean =>
	hostHash(page) !== undefined && page.includes('<meta name="narthex-display-person" content="1">');

/** The hash of the host script that a page names. */
export function hostHash(page: string): string | undefined {
	return /<meta name="narthex-display" content="([0-9a-f]{16})">/.exec(page)?.[1];
}

function pairingOf({ status, body, headers }: Answer): Pairing | undefined {
	const pairing = status === 200 || status === 201 ? shaped(pairingShape, body) : undefined;
	if (pairing === undefined) return undefined;
	const { state, pairingCode, expiresAt } = pairing;
	const told = Date.parse(headers.get("Date") ?? ""); // this browser's own clock may be wrong
	const remaining = Date.parse(expiresAt) - (Number.isNaN(told) ? Date.now() : told);
	return { state, pairingCode, remaining };
}

function shaped<Value>(shape: Shape<Value>, body: unknown): Value | undefined {
	try {
		return shape(body);
	} catch {
		return undefined;
	}
}

async function request(method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
	const init: RequestInit = { cache: "no-store" };
	if (body !== undefined) {
		init.headers = { "Content-Type": "application/json" };
		init.body = JSON.stringify(body);
	}
	try {
		const { response, text } = await answered(method, path, init);
		const value: unknown = JSON.parse(text);
		const code = shaped(codeShape, value)?.code;
		const ours = response.ok || code !== undefined;
		return { status: ours ? response.status : 0, body: value, code, headers: response.headers };
	} catch {
		return { status: 0, body: undefined, code: undefined, headers: new Headers() };
	}
}

/** A response with its whole body, within the time limit. */
async function answered(method: string, path: string, init: RequestInit) {
	const late = new AbortController();
	const timer = setTimeout(() => late.abort(), requestLimit);
	try {
		const response = await fetch(path, { ...init, method, redirect: "error", signal: late.signal });
		return { response, text: await response.text() };
	} finally {
		clearTimeout(timer);
	}
}
