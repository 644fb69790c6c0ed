import type { ServerClock } from "../../host/clock";
import { followed } from "../../host/slow";
import { takePreloaded } from "./preloaded";

/**
 * The result of a request. Without a response the status is 0. A successful response of an unexpected shape
 * has the code MALFORMED.
 */
export type Result<Value> =
	| { readonly ok: true; readonly value: Value }
	| {
			readonly ok: false;
			readonly status: number;
			readonly code: string;
			/**
			 * Seconds until the server accepts the next attempt, if it sends that and the browser may read
			 * it.
			 */
			readonly retryAfter?: number;
	  };

export type Failure = Extract<Result<never>, { ok: false }>;

/**
 * Statuses that decide something, such as that nobody is signed in. Without a code they are those of a proxy
 * or a captive portal, and count as no response.
 */
const decisions: readonly number[] = [400, 401, 403, 404, 409];

/** The server ends every request after 30 s, so no response arrives later than this. */
const limit = 40_000;

/**
 * Sends a request to the platform, with the session's cookie. read throws if the body has an unexpected
 * shape. The response sets the clock.
 */
export async function request<Value>(
	address: string,
	init: RequestInit,
	read: (body: unknown) => Value,
	clock: ServerClock,
): Promise<Result<Value>> {
	let response: Response;
	let text: string;
	try {
		const sent = performance.now();
		const early = init.method === undefined ? await takePreloaded(address) : undefined;
		response =
			early ??
			(await followed(
				fetch(address, {
					...init,
					credentials: "include",
					cache: "no-store",
					signal: AbortSignal.timeout(limit),
				}),
			));
		const delay = performance.now() - (early ? 0 : sent);
		clock.observe(response.headers.get("Date") ?? "", delay + 1_000); // it has whole seconds
		text = await response.text();
	} catch {
		return { ok: false, status: 0, code: "NETWORK" };
	}
	if (response.ok) {
		try {
			return { ok: true, value: read(text === "" ? undefined : JSON.parse(text)) };
		} catch {
			return { ok: false, status: response.status, code: "MALFORMED" };
		}
	}
	const after = Number(response.headers.get("X-Retry-After") ?? Number.NaN);
	const code = codeOf(text);
	return {
		ok: false,
		status: code === undefined && decisions.includes(response.status) ? 0 : response.status,
		code: code ?? `HTTP_${response.status}`,
		...(after > 0 ? { retryAfter: Math.ceil(after) } : {}),
	};
}

/** The code of an error response. A response that is not the platform's, such as a proxy's, has none. */
function codeOf(text: string): string | undefined {
	try {
		const { code } = JSON.parse(text) as { code?: unknown };
		return typeof code === "string" ? code : undefined;
	} catch {
		return undefined;
	}
}

/** The options of a write with a JSON body. */
export function write(method: "POST" | "PUT" | "DELETE", body: unknown): RequestInit {
	return { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

export const nothing = (): undefined => undefined;
