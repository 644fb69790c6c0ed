/** Waits for a time, or until the signal aborts or one of the given events occurs. Never rejects. */
export function wait(
	milliseconds: number,
	signal: AbortSignal,
	...wakers: readonly (readonly [EventTarget, string])[]
): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve();
		const done = () => {
			clearTimeout(timer);
			signal.removeEventListener("abort", done);
			for (const [target, event] of wakers) target.removeEventListener(event, done);
			resolve();
		};
		const timer = setTimeout(done, milliseconds);
		signal.addEventListener("abort", done);
		for (const [target, event] of wakers) target.addEventListener(event, done);
	});
}

/**
 * The pause before attempt number n (from 0), in milliseconds: least, doubled with each attempt up to most,
 * minus up to half of it at random, so that clients do not reconnect all at once.
 */
export function backoff(n: number, least: number, most: number, random: () => number = Math.random): number {
	const full = Math.min(most, least * 2 ** Math.min(n, 20));
	return full * (0.5 + random() / 2);
}
