import { type Address, matched, type Params } from "./address";

/**
 * The place that the fragment names. Fragments are the only navigation state, and are never used as the
 * target of a redirect.
 */
export type Route =
	| { readonly to: "module"; readonly moduleId: string; readonly subpath: string }
	| { readonly to: "screen"; readonly screen: Address; readonly params: Params }
	| { readonly to: "notfound" };

/**
 * Parses a fragment with the table of the Dashboard's own screens. Slashes at its beginning and its end, and
 * upper case in fixed parts, do not matter, because people type addresses.
 */
export function parseRoute(hash: string, screens: readonly Address[]): Route {
	const path = hash.replace(/^#?\/*/, "").replace(/\/+$/, "");
	const module = /^m\/+([a-z0-9-]+)(?:\/+(.*))?$/i.exec(path);
	if (module) {
		const [, id = "", subpath = ""] = module;
		return { to: "module", moduleId: id.toLowerCase(), subpath: decode(subpath) };
	}
	for (const screen of screens) {
		const params = matched(screen.path, path);
		if (params) return { to: "screen", screen, params };
	}
	return { to: "notfound" };
}

function decode(text: string): string {
	try {
		return decodeURI(text);
	} catch {
		return text;
	}
}

/** The fragment for an address with a path, for which the server sends the Dashboard's page. */
export function hashOfPath({ pathname, hash }: Pick<Location, "pathname" | "hash">): string {
	return pathname === "/" || hash !== "" ? hash : `#${pathname}`;
}

export const homeHash = "#/";
export const accountHash = "#/account";

/** The fragment of a place inside a module. */
export function moduleHash(moduleId: string, subpath = ""): string {
	const own = subpath.replace(/^\/+/, "");
	return own === "" ? `#/m/${moduleId}` : `#/m/${moduleId}/${encodeURI(own)}`;
}
