const pause = 15_000; // milliseconds, as in the administration

/**
 * Calls the listener every 15 s while the page is visible, when the person returns to it, and when the
 * network is back, until the signal is aborted.
 */
export function rounds(listener: () => void, signal: AbortSignal): void {
	const ifSeen = () => {
		if (!document.hidden) listener();
	};
	const timer = setInterval(ifSeen, pause);
	signal.addEventListener("abort", () => clearInterval(timer));
	document.addEventListener("visibilitychange", ifSeen, { signal });
	addEventListener("focus", ifSeen, { signal });
	addEventListener("online", ifSeen, { signal });
}
