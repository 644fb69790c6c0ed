/** Requests that the page began before this script was loaded, by URL. index.html fills it. */
const begun = (globalThis as { narthexBegun?: Record<string, Promise<Response>> }).narthexBegun ?? {};

/**
 * Returns the response of a request that the page began, once. If it failed or there is none, the caller
 * sends the request itself.
 */
export async function takeBegun(address: string): Promise<Response | undefined> {
	const response = begun[address];
	delete begun[address];
	const came = await response?.catch(() => undefined);
	return came?.ok ? came : undefined;
}

/** Drops the responses that were not used: they may belong to another person, and would be outdated later. */
export function dropBegun(): void {
	for (const address of Object.keys(begun)) delete begun[address];
}
