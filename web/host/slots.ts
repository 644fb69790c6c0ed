import { wait } from "./wait";

/**
 * How many streams the pages of one browser have at a time over HTTP/1.1, and how long others wait for a
 * turn: less than a display waits for its first snapshot.
 */
const slots = 3;
const turn = 4_000; // milliseconds

/**
 * Whether the browser's connections to an origin carry many requests at once (HTTP/2). Of another origin a
 * browser may not say that.
 */
export function multiplexed(url: string): boolean {
	const { origin } = new URL(url);
	const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
	return (entries as PerformanceResourceTiming[]).some(
		({ name, nextHopProtocol }) => /^h[23]/.test(nextHopProtocol) && new URL(name).origin === origin,
	);
}

/**
 * Waits until this page may connect to an origin, and returns how to give that up. Who has waited for a turn
 * takes the place of a stream that is connected, whose lost is then called.
 */
export async function takeSlot(
	origin: string,
	lost: () => void,
	signal: AbortSignal,
): Promise<() => void> {
	const got = new AbortController(); // aborted when the wait is over
	const over = () => got.abort();
	signal.addEventListener("abort", over);
	if (signal.aborted) over();
	let give = () => {};
	const request = async (number: number, options: LockOptions) => {
		let mine = false;
		try {
			await navigator.locks.request(`narthex-connection ${number} ${origin}`, options, () => {
				if (got.signal.aborted) return undefined;
				mine = true;
				return new Promise<void>((resolve) => {
					give = resolve;
					over();
				});
			});
		} catch {
			if (mine) lost();
		}
	};
	for (let number = 0; number < slots; number++) void request(number, { signal: got.signal });
	await wait(turn, got.signal);
	if (!got.signal.aborted) void request(Math.floor(Math.random() * slots), { steal: true });
	if (!got.signal.aborted) await wait(turn, got.signal);
	signal.removeEventListener("abort", over);
	over();
	return give;
}
