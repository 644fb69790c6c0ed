/**
 * Sends the first requests together with the page's own script, which takes them over (data/preloaded). The
 * build writes this into the page. What may be loaded before it is known who is signed in is the script of
 * the module in the address: it is public, and nothing of it runs (docs/reference/browser.md).
 */

export {}; // a module, whose names are its own

interface Entry {
	readonly moduleId: string;
	readonly ui: {
		readonly artifactUrl: string;
		readonly contributions: readonly {
			readonly id: string;
			readonly moduleId: string;
			readonly moduleVersion: string;
		}[];
	};
}

interface Navigation {
	readonly groups: readonly { readonly modules: readonly Entry[] }[];
	readonly ungrouped: readonly Entry[];
}

const limit = 40_000; // milliseconds, as in data/request
const preloaded: Record<string, Promise<Response>> = {};
(globalThis as { narthexPreloaded?: typeof preloaded }).narthexPreloaded = preloaded;
const element = document.querySelector<HTMLMetaElement>("meta[name^=service]"); // the page names it once
const origin = element?.content || location.origin;
const place = location.pathname + location.hash; // a module's is "/#/m/rota", or "/m/rota" if it was typed
const isHome = /^\/(#\/*)?$/.test(place);
const shown = isHome ? "home" : /^\/(?:#\/*)?m\/+([a-z0-9-]+)/.exec(place)?.[1];

function ask(path: string, then = (response: Response): Response | Promise<Response> => response): void {
	const address = `${origin}/api/v1/${path}`;
	const signal = AbortSignal.timeout(limit);
	const response = fetch(address, { credentials: "include", cache: "no-store", signal }).then(then);
	response.catch(() => undefined);
	preloaded[address] = response;
}

function preload(path: string): void {
	const link = document.createElement("link");
	link.rel = "modulepreload";
	link.href = `${origin}${path}#early`; // host/artifact waits for the same request
	document.head.append(link);
}

/** Begins with what the navigation names for the address: the module's script and, for Home, its tiles. */
async function preloadShown(response: Response): Promise<Response> {
	try {
		const { groups, ungrouped } = (await response.clone().json()) as Navigation;
		const entries = [...groups.flatMap(({ modules }) => modules), ...ungrouped];
		const ui = entries.find(({ moduleId }) => moduleId === shown)?.ui;
		if (ui) preload(ui.artifactUrl);
		for (const { id, moduleId, moduleVersion } of (isHome && ui?.contributions) || [])
			preload(`/api/v1/module-ui/${moduleId}/${moduleVersion}/contributions/${id}`);
	} catch {
		// whoever takes the response says what is wrong
	}
	return response;
}

try {
	if (location.search === "" && /^https?:/.test(origin) && new URL(origin).origin === origin) {
		ask("principal");
		ask("house");
		// Somebody is signed in here since the last visit. A browser that was never here, or has forgotten it,
		// may still have a session, and then asks at the addresses behind the sign-in.
		if (localStorage.getItem("narthex.frame") || (!isHome && !localStorage.getItem("narthex.house"))) {
			const last = localStorage.getItem("narthex.module") ?? "";
			const known = last.startsWith(`/api/v1/module-ui/${shown}/`);
			if (known) preload(last);
			ask("dashboard/navigation", known ? undefined : preloadShown);
			ask("account");
		}
	}
} catch {
	// storage or a call is missing: the page's script asks for everything
}
