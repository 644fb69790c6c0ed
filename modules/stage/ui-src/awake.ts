/**
 * Keeps the phone awake until the signal is aborted. The browser releases the lock when the page is hidden,
 * so it is requested again. If it is refused, the phone sleeps as usual.
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
