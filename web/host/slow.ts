import { signal } from "@preact/signals";

/** How long a request waits for its response before that is said, in milliseconds. */
const patience = 10_000;

/**
 * How many requests have waited for so long. The server may be slow, or other windows have all connections:
 * a browser does not tell which.
 */
export const slowRequests = signal(0);

/** The response of a request, which is counted as slow while it is. */
export async function followed<Value>(response: Promise<Value>): Promise<Value> {
	let slow = false;
	const timer = setTimeout(() => {
		slow = true;
		slowRequests.value++;
	}, patience);
	try {
		return await response;
	} finally {
		clearTimeout(timer);
		if (slow) slowRequests.value--;
	}
}
