/**
 * What became of a request. Status 0: no answer came; what came with a good status and was no such JSON has
 * the code MALFORMED.
 */
export type Answer<Value> =
	| { readonly ok: true; readonly value: Value }
	| {
			readonly ok: false;
			readonly status: number;
			readonly code: string;
			/** Seconds until the next try is let through, where the server says so and the browser may read it. */
			readonly retryAfter?: number;
	  };

export type Failure = Extract<Answer<never>, { ok: false }>;

/** The server bounds a request by 30 s; past that nobody answers any more. */
const limit = 40_000;

/**
 * A request to the platform, always with the session's cookie. read refuses, by throwing, what is not the
 * agreed shape.
 */
export async function request<Value>(
	address: string,
	init: RequestInit,
	read: (body: unknown) => Value,
): Promise<Answer<Value>> {
	let response: Response;
	let text: string;
	try {
		response = await fetch(address, {
			...init,
			credentials: "include",
			cache: "no-store",
			signal: AbortSignal.timeout(limit),
		});
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
	return {
		ok: false,
		status: response.status,
		code: codeOf(text) ?? `HTTP_${response.status}`,
		...(after > 0 ? { retryAfter: Math.ceil(after) } : {}),
	};
}

/** The code of a refusal; none when it is not the platform's, but a proxy's, say. */
function codeOf(text: string): string | undefined {
	try {
		const { code } = JSON.parse(text) as { code?: unknown };
		return typeof code === "string" ? code : undefined;
	} catch {
		return undefined;
	}
}

/** A write with a JSON body. */
export function write(method: "POST" | "PUT" | "DELETE", body: unknown): RequestInit {
	return { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

export const nothing = (): undefined => undefined;
