const minute = 60_000;

/**
 * Calls the listener each minute while the page is seen, when it is seen again, and when the network is back,
 * until the signal.
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
