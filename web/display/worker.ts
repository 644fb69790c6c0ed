import type { FromWorker, ToWorker } from "./messages";
import { Network } from "./network";

declare const self: ServiceWorkerGlobalScope;

/**
 * The service worker of the displays (docs/reference/browser.md). It lets a screen start without a network.
 *
 * For each display it caches one generation: the page, the host script, the artifact, and the renderers that
 * were loaded, and nothing else. Page and host script come from the cache first, artifacts from the network.
 * The mounted page tells the worker what to cache, so a generation contains only what has run.
 */

const prefix = "narthex-display ";

const pagePath = /^\/display\/[a-z0-9-]+$/;
const hostPath = /^\/display\/host-([0-9a-f]{16})\.js$/;
const artifactPath = /^\/api\/v1\/module-ui\/[^/]+\/[^/]+\/(?:display|contributions\/[^/]+)$/;

const network = new Network();

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
	const { request } = event;
	const { origin, pathname } = new URL(request.url);
	if (request.method !== "GET" || origin !== self.location.origin) return;
	if (request.mode === "navigate") {
		if (pagePath.test(pathname)) event.respondWith(page(event));
	} else if (hostPath.test(pathname) || artifactPath.test(pathname)) {
		event.respondWith(script(event));
	}
});

self.addEventListener("message", (event) => {
	const message = event.data as ToWorker;
	if (message.narthex === "keep") event.waitUntil(keep(message));
});

/**
 * The display's page. The cached one is returned at once, so that the screen is never white while the network
 * is silent; what the server has by now is looked up afterwards. Without a cached one, a response that is not
 * the page, such as a proxy's, counts as no network.
 */
async function page(event: FetchEvent): Promise<Response> {
	const { pathname } = new URL(event.request.url);
	const newer = newerPages.get(pathname);
	newerPages.delete(pathname);
	if (newer) return newer;
	const kept = await fromCaches(pathname);
	if (kept) {
		event.waitUntil(lookForNewer(event, pathname, await hostOf(kept)));
		return kept;
	}
	const answer = await network.load(event.request);
	return answer && (await hostOf(answer)) !== undefined ? answer : waitingPage(pathname);
}

/** Pages of another build, each until it is loaded. */
const newerPages = new Map<string, Response>();

/** Lets a cached page load again when the server has the page of another build, and that build's script. */
async function lookForNewer(event: FetchEvent, path: string, kept: string | undefined): Promise<void> {
	const answer = await network.load(event.request);
	const host = answer && (await hostOf(answer));
	if (answer === undefined || host === undefined || host === kept || !(await hasScript(host))) return;
	newerPages.set(path, answer);
	const client = await self.clients.get(event.resultingClientId);
	client?.postMessage({ narthex: "newer" } satisfies FromWorker);
}

/**
 * A host script or an artifact. A 404 for an artifact is returned as it is; any other response that is not a
 * script is replaced by the cached one.
 */
async function script(event: FetchEvent): Promise<Response> {
	const { pathname } = new URL(event.request.url);
	const { path, answer: loaded } = loadedFirst ?? {};
	loadedFirst = undefined;
	const kept = await fromCaches(pathname);
	// A host script's name contains its hash, so the server has no other.
	if (kept && hostPath.test(pathname) && path !== pathname) return kept;
	const answer = path === pathname ? loaded : await network.load(event.request, kept !== undefined);
	if (answer && (answer.status === 304 || (await isScript(pathname, answer)))) return answer;
	if (answer?.status === 404 && artifactPath.test(pathname)) return answer;
	if (kept === undefined) return answer ?? Response.error();
	const client = await self.clients.get(event.clientId);
	client?.postMessage({ narthex: "from-cache" } satisfies FromWorker);
	return kept;
}

/** The cached response for a path, from any generation. Only pages and scripts are looked up. */
async function fromCaches(path: string): Promise<Response | undefined> {
	for (const name of await caches.keys()) {
		if (!name.startsWith(prefix)) continue;
		const kept = await (await caches.open(name)).match(path, { ignoreVary: true });
		if (kept) return kept;
	}
	return undefined;
}

/** The host script that was loaded before its page was returned, until that page requests it. */
let loadedFirst: { readonly path: string; readonly answer: Response } | undefined;

/** Whether a host script is cached or can be loaded. */
async function hasScript(host: string): Promise<boolean> {
	const path = `/display/host-${host}.js`;
	if (await fromCaches(path)) return true;
	const answer = await network.load(path);
	if (!answer || !(await isScript(path, answer))) return false;
	loadedFirst = { path, answer };
	return true;
}

/** Whether a response is the script of its path: a host script's has the first digits of its hash. */
async function isScript(path: string, answer: Response): Promise<boolean> {
	const type = answer.headers.get("Content-Type") ?? "";
	if (answer.status !== 200 || !/^text\/javascript(;|$)/i.test(type)) return false;
	const hash = hostPath.exec(path)?.[1];
	if (hash === undefined) return true;
	const digest = await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer());
	const digits = [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0"));
	return digits.join("") === hash;
}

/** The hash of the host script that a page names; undefined if it is not a page of a display. */
async function hostOf(answer: Response): Promise<string | undefined> {
	const text = await answer.clone().text();
	return /<meta name="narthex-display" content="([0-9a-f]{16})">/.exec(text)?.[1];
}

let keeping = Promise.resolve();

/** Stores one generation after another. */
function keep(message: ToWorker): Promise<void> {
	keeping = keeping.then(() => keepGeneration(message)).catch(() => undefined);
	return keeping;
}

/**
 * Completes the generation of the mounted display: first its scripts and, once all of them are stored, the
 * page. Then it deletes the display's other generations. Whatever cannot be loaded now is tried again at the
 * next mount.
 */
async function keepGeneration(message: ToWorker): Promise<void> {
	const { page: path, host, moduleId, version } = message;
	const scripts = [`/display/host-${host}.js`, ...message.scripts.filter((each) => artifactPath.test(each))];
	if (!pagePath.test(path) || path !== `/display/${moduleId}`) return;
	const name = `${prefix}${moduleId} ${host} ${version}`;
	const cache = await caches.open(name);
	for (const each of scripts) {
		if (await cache.match(each, { ignoreVary: true })) continue;
		const answer = await network.load(each);
		if (!answer || !(await isScript(each, answer))) return;
		await cache.put(each, answer);
	}
	const answer = await network.load(new Request(path, { headers: { Accept: "text/html" } }));
	if (answer?.status !== 200 || (await hostOf(answer)) !== host) return;
	await cache.put(path, answer);
	for (const { url } of await cache.keys()) {
		const kept = new URL(url).pathname; // contributions of older versions are deleted, too
		const superseded = artifactPath.test(kept) && !message.current.includes(kept);
		if (superseded) await cache.delete(kept, { ignoreVary: true });
	}
	for (const other of await caches.keys()) {
		if (other.startsWith(`${prefix}${moduleId} `) && other !== name) await caches.delete(other);
	}
}

/** The page shown if the network fails and no page is cached yet. It retries by itself. */
function waitingPage(path: string): Response {
	const id = path.slice("/display/".length).replaceAll("-", " "); // of letters and digits, see pagePath
	const name = id.charAt(0).toUpperCase() + id.slice(1);
	const german = self.navigator.language.startsWith("de");
	const words = german ? "Wartet auf das Netzwerk" : "Waiting for the network";
	return new Response(
		`<!doctype html><html lang="${german ? "de" : "en"}"><meta charset="utf-8">` +
			`<meta http-equiv="refresh" content="10"><title>${words}</title>` +
			'<meta name="narthex-display" content="">' + // so that deploy/kiosk/start-screen knows it
			"<style>html{background:#0E1116;color:#F2F4F7;cursor:none;" +
			"font:600 min(9vh,5vw)/1.2 system-ui,sans-serif}" +
			"body{margin:4vh 4vw;min-height:92vh;display:flex;align-items:center}</style>" +
			`<div><p style="font-size:.75em;font-weight:400;margin:0 0 .5em">${name}</p>` +
			`<h1 style="font-size:1em;margin:0">${words}</h1></div></html>`,
		{ headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" } },
	);
}
