/** Requests that the page sent before this script was loaded, by URL. early.ts fills it. */
const page = globalThis as { narthexPreloaded?: Record<string, Promise<Response>> };
const preloaded = page.narthexPreloaded ?? {};

/**
 * Returns the response of a request that the page sent before, once. If it failed or there is none, the
 * caller sends the request itself.
 */
export async function takePreloaded(address: string): Promise<Response | undefined> {
	const response = preloaded[address];
	delete preloaded[address];
	const came = await response?.catch(() => undefined);
	return came?.ok ? came : undefined;
}

/** Drops the responses that were not used: they may belong to another person, and would be outdated later. */
export function dropPreloaded(): void {
	for (const address of Object.keys(preloaded)) delete preloaded[address];
}
