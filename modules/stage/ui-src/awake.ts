/**
 * Keeps the phone from sleeping until the signal ends. The browser takes the lock back when the page is
 * hidden, so it is asked for again. Where it is refused, the phone sleeps as ever.
 */
export function keepAwake(signal: AbortSignal): void {
	let lock: WakeLockSentinel | undefined;
	const ask = async () => {
		if (document.visibilityState !== "visible" || !("wakeLock" in navigator)) return;
		try {
			lock = await navigator.wakeLock.request("screen");
			if (signal.aborted) await lock.release();
		} catch {
			lock = undefined;
		}
	};
	document.addEventListener("visibilitychange", () => void ask(), { signal });
	signal.addEventListener("abort", () => void lock?.release());
	void ask();
}
