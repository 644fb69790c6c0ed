import { matched, type Params, type Screen } from "./screen";

/**
 * The place that the fragment names. Fragments are the only navigation state, and are never used as the
 * target of a redirect.
 */
export type Route =
	| { readonly to: "module"; readonly moduleId: string; readonly subpath: string }
	| { readonly to: "screen"; readonly screen: Screen; readonly params: Params }
	| { readonly to: "nowhere" };

/** Parses a fragment with the table of the Dashboard's own screens. */
export function parseRoute(hash: string, screens: readonly Screen[]): Route {
	const fragment = /^#?(?:\/(.*))?$/.exec(hash);
	if (!fragment) return { to: "nowhere" };
	const path = fragment[1] ?? "";
	const module = /^m\/([a-z0-9-]+)(?:\/(.*))?$/.exec(path);
	if (module) return { to: "module", moduleId: module[1] ?? "", subpath: decode(module[2] ?? "") };
	for (const screen of screens) {
		const params = matched(screen.path, path);
		if (params) return { to: "screen", screen, params };
	}
	return { to: "nowhere" };
}

function decode(text: string): string {
	try {
		return decodeURI(text);
	} catch {
		return text;
	}
}

export const homeHash = "#/";
export const accountHash = "#/account";

/** The fragment of a place inside a module. */
export function moduleHash(moduleId: string, subpath = ""): string {
	const own = subpath.replace(/^\/+/, "");
	return own === "" ? `#/m/${moduleId}` : `#/m/${moduleId}/${encodeURI(own)}`;
}
