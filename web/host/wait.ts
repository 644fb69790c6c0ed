/**
 * Waits, or until the signal aborts or one of the window's events comes that promise a better moment. Never
 * rejects.
 */
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
 * The pause before try number n (from 0), milliseconds: least, doubled each time up to most, less a random
 * half so that readers spread.
 */
export function backoff(n: number, least: number, most: number, random: () => number = Math.random): number {
	const full = Math.min(most, least * 2 ** Math.min(n, 20));
	return full * (0.5 + random() / 2);
}
