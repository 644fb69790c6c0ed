/**
 * What the oldest promised browsers lack (README.md), for the platform and for modules. Each page imports it
 * before everything else. Only what is missing is added. web/build/floor_test.go knows these names.
 */

// Chromium before 116, Firefox before 124, Safari before 17.4
AbortSignal.any ??= (signals) => {
	const any = new AbortController();
	for (const signal of signals) {
		const end = () => any.abort(signal.reason);
		if (signal.aborted) end();
		else signal.addEventListener("abort", end, { signal: any.signal });
	}
	return any.signal;
};

// Chromium before 103
AbortSignal.timeout ??= (milliseconds) => {
	const limit = new AbortController();
	setTimeout(() => limit.abort(new DOMException("The time is over.", "TimeoutError")), milliseconds);
	return limit.signal;
};

// Chromium before 95
globalThis.reportError ??= (error: unknown) => {
	setTimeout(() => {
		throw error;
	});
};
