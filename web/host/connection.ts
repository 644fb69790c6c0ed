import { EventStreamParser } from "./eventstream";
import type { Leading } from "./sharing";
import { multiplexed, takeSlot } from "./slots";

/**
 * How long to wait for the first snapshot, and later for any byte, in milliseconds. The server sends a
 * heartbeat every 15 s.
 */
const snapshotLimit = 15_000;
const silenceLimit = 45_000;
/** How long a page that cannot share keeps a connection that others may need, in milliseconds. */
const shortLimit = 15_000;
/** The platform's own refusals. */
const refusals: readonly unknown[] = ["NOT_FOUND", "PERMISSION_DENIED", "AUTHENTICATION_REQUIRED"];

/** "asked": by the server. "turn": to connect again at once, for a page that has joined or others' turn. */
export type Ending = "refused" | "failed" | "asked" | "turn";

/**
 * One connection, from the request to its end. It uses fetch, because EventSource does not report a 401, 403
 * or 503.
 */
export async function connect(url: string, { tell, joins, alone, signal }: Leading): Promise<Ending> {
	const connection = new AbortController();
	let ending: Ending = "failed";
	const end = (why: Ending) => {
		ending = why;
		connection.abort();
	};
	const cut = () => connection.abort();
	const takeTurns = !multiplexed(url);
	let giveSlot = () => {};
	if (takeTurns && !alone) giveSlot = await takeSlot(new URL(url).origin, () => end("turn"), signal);
	let lastByte = performance.now();
	let limit = snapshotLimit;
	let snapshotAt: number | undefined;
	const shortFor = shortLimit * (0.5 + Math.random() / 2);
	const join = () => snapshotAt !== undefined && end("turn");
	// Timers run late in hidden pages and on sleeping machines, so the clock is also checked when the
	// page becomes visible.
	const look = () => {
		const now = performance.now();
		if (now - lastByte >= limit) end("failed");
		else if (alone && takeTurns && snapshotAt !== undefined && now - snapshotAt >= shortFor) end("turn");
	};
	const watch = setInterval(look, 1_000);
	signal.addEventListener("abort", cut);
	if (signal.aborted) cut();
	document.addEventListener("visibilitychange", look);
	joins.addEventListener("join", join);
	try {
		const response = await fetch(url, {
			credentials: "include",
			cache: "no-store",
			headers: { Accept: "text/event-stream" },
			signal: connection.signal,
		});
		if (await isRefusal(response)) return "refused";
		if (!isStream(response) || response.body === null) return "failed";
		const parser = new EventStreamParser();
		const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
		for (;;) {
			const { done, value } = await text.read();
			if (done) return "failed";
			lastByte = performance.now();
			for (const event of parser.push(value)) {
				if (event.event === "reconnect") return "asked";
				if (event.event === "snapshot") {
					limit = silenceLimit;
					snapshotAt = performance.now();
				}
				tell(event);
			}
		}
	} catch {
		return ending; // ended above, no network, or not the expected JSON
	} finally {
		clearInterval(watch);
		signal.removeEventListener("abort", cut);
		document.removeEventListener("visibilitychange", look);
		joins.removeEventListener("join", join);
		cut();
		giveSlot();
	}
}

/** Whether the platform itself refuses. The page of a proxy or of a captive portal counts as no network. */
async function isRefusal(response: Response): Promise<boolean> {
	if (response.ok || !hasType(response, "application/json")) return false;
	const { code } = (await response.json()) as { readonly code?: unknown };
	return refusals.includes(code);
}

const isStream = (response: Response): boolean => response.ok && hasType(response, "text/event-stream");

const hasType = (response: Response, type: string): boolean =>
	response.headers.get("Content-Type")?.split(";")[0]?.trim() === type;
