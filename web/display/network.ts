const patience = 8_000; // milliseconds, for a response with its body
// After the network has just failed: where the cache has something to show, and where it has nothing.
const shortPatience = 1_000;
const longPatience = 30_000;
const recently = 30_000;

/** What the service worker loads from the server. */
export class Network {
	#failedAt = -Infinity;

	/**
	 * The complete response of the network. Undefined: there was none in time, or it was cut off, or its status
	 * shows that the platform is not working. replaceable: the cache has something to show in its place.
	 *
	 * A screen with nothing in its cache says after the first failure that it waits for the network, so the next
	 * attempt has time: with the same limit, a network that is slower than that would never bring anything.
	 */
	async load(request: Request | string, replaceable = false): Promise<Response | undefined> {
		const again = replaceable ? shortPatience : longPatience;
		const limit = performance.now() - this.#failedAt < recently ? again : patience;
		const late = new AbortController();
		const timer = setTimeout(() => late.abort(), limit);
		try {
			// What a proxy once sent in its place may be fresh in the browser's cache, so the server is always asked.
			const answer = await fetch(request, { signal: late.signal, cache: "no-cache" });
			if (answer.type === "opaqueredirect" || answer.redirected) return undefined;
			const body = await answer.arrayBuffer(); // throws if the body is cut off
			if (answer.status >= 500) throw new Error();
			this.#failedAt = -Infinity;
			const { status, statusText } = answer;
			const headers = new Headers(answer.headers);
			headers.delete("Content-Encoding"); // the body is decoded already
			headers.delete("Content-Length");
			const bodiless = status === 204 || status === 304;
			return new Response(bodiless ? null : body, { status, statusText, headers });
		} catch {
			this.#failedAt = performance.now();
			return undefined;
		} finally {
			clearTimeout(timer);
		}
	}
}
