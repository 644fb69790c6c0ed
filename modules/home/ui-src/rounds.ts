const minute = 60_000;

/**
 * Calls the listener every minute while the page is visible, when it becomes visible again, and when the
 * network is back, until the signal is aborted.
 */
export function rounds(listener: () => void, signal: AbortSignal): void {
	const ifSeen = () => {
		if (!document.hidden) listener();
	};
	const timer = setInterval(ifSeen, minute);
	signal.addEventListener("abort", () => clearInterval(timer));
	document.addEventListener("visibilitychange", ifSeen, { signal });
	addEventListener("online", ifSeen, { signal });
}
