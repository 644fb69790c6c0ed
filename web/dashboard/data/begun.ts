/** What the page began to ask for before it had this script, by address. index.html fills it. */
const begun = (globalThis as { narthexBegun?: Record<string, Promise<Response>> }).narthexBegun ?? {};

/** Returns the response that was begun, once. A bad one, or none, is asked for again. */
export async function takeBegun(address: string): Promise<Response | undefined> {
	const response = begun[address];
	delete begun[address];
	const came = await response?.catch(() => undefined);
	return came?.ok ? came : undefined;
}

/** Drops what nobody has taken: it is known now who is here, and it may be old later. */
export function dropBegun(): void {
	for (const address of Object.keys(begun)) delete begun[address];
}
