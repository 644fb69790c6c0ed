import { backoff, wait } from "./wait";

/**
 * Begins again when the page has arrived, but its script has not: it was refused, cut off, replaced by
 * another answer, or it did not start. The build writes this into the pages themselves, before their script's
 * element, because until that script runs nothing else could tell anybody what is wrong
 * (docs/reference/browser.md).
 */

const ownScript = "script[data-start]";
const silence = 30_000; // milliseconds after which a script that is still loading counts as lost
const answerLimit = 60_000; // milliseconds, for a response with its body: such a network may be slow
const firstPause = 1_000;
const longestPause = 60_000;
const attemptsKey = "narthex.attempts"; // survives the reloads, so that their pauses become longer

const words = {
	en: "This page did not load completely. It tries again by itself.",
	de: "Diese Seite wurde nicht vollständig geladen. Sie versucht es von selbst wieder.",
};

const started = () => "started" in document.documentElement.dataset;
const over = new AbortController();
let lost = false;

for (const event of ["load", "error"]) document.addEventListener(event, check, true);
setTimeout(() => void begin(), silence);

/** The script's element has an end. Whether it was a good one, only the script itself can say. */
function check({ target }: Event): void {
	if (!(target instanceof HTMLScriptElement) || !target.matches(ownScript)) return;
	if (!started()) return void begin();
	over.abort();
	remember(0);
	message()?.remove();
}

async function begin(): Promise<void> {
	if (lost || started()) return;
	lost = true;
	if (document.readyState === "loading") await wait(silence, over.signal, [document, "DOMContentLoaded"]);
	for (let attempts = remembered(); !over.signal.aborted; attempts++) {
		tell();
		await wait(backoff(attempts, firstPause, longestPause), over.signal, [window, "online"]);
		// A service worker has an answer even without a network. Without one, a reload would replace these words
		// by the browser's own error page, which stays.
		const arrived = await bothArrive();
		if (over.signal.aborted || !(arrived || hasWorker())) continue;
		remember(attempts + 1);
		location.reload();
		return;
	}
}

/** Whether a service worker serves this page. A browser that blocks cookies may throw here. */
function hasWorker(): boolean {
	try {
		return Boolean(navigator.serviceWorker?.controller);
	} catch {
		return false;
	}
}

/**
 * Whether the page and the script that it names can be loaded now. The server may have another build than
 * this page. The browser's cache is renewed, because it may hold what took the script's place.
 */
async function bothArrive(): Promise<boolean> {
	try {
		const page = await fetched(location.pathname);
		const source = new DOMParser().parseFromString(await page.text(), "text/html").querySelector(ownScript);
		const script = await fetched(source?.getAttribute("src") ?? "");
		await script.arrayBuffer(); // rejects if it is cut off
		return script.ok && /\bjavascript\b/.test(script.headers.get("Content-Type") ?? "");
	} catch {
		return false;
	}
}

function fetched(address: string): Promise<Response> {
	const limit = new AbortController(); // AbortSignal.timeout is younger than some displays
	setTimeout(() => limit.abort(), answerLimit);
	const headers = { Accept: "text/html" };
	return fetch(address, { cache: "reload", redirect: "error", headers, signal: limit.signal });
}

const message = () => document.getElementById("not-loaded");

function tell(): void {
	if (message()) return;
	const language = kept(document.documentElement.dataset["languageKey"] ?? "") || navigator.language;
	const [lang, text] = language.startsWith("de") ? ["de", words.de] : ["en", words.en];
	const paragraph = document.createElement("p");
	Object.assign(paragraph, { id: "not-loaded", role: "alert", lang, textContent: text });
	document.body.append(paragraph);
}

function kept(key: string): string {
	try {
		return localStorage.getItem(key) ?? "";
	} catch {
		return "";
	}
}

/** A page without a key keeps nothing in the browser, not even for a moment. */
const keepsNothing = document.documentElement.dataset["languageKey"] === undefined;

function remembered(): number {
	if (keepsNothing) return 5; // every pause is a long one
	try {
		return Number(sessionStorage.getItem(attemptsKey));
	} catch {
		return 5; // storage is disabled, so every pause is a long one
	}
}

function remember(attempts: number): void {
	if (keepsNothing) return;
	try {
		if (attempts === 0) sessionStorage.removeItem(attemptsKey);
		else sessionStorage.setItem(attemptsKey, String(attempts));
	} catch {
		return;
	}
}
