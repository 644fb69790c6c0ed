/** Where the fragment leads. Fragments are the only navigation state, and never a redirect target. */
export type Route =
	| { readonly to: "start" }
	| { readonly to: "account" }
	| { readonly to: "module"; readonly moduleId: string; readonly subpath: string }
	| { readonly to: "nowhere" };

export function parseRoute(hash: string): Route {
	const path = hash.replace(/^#/, "");
	if (path === "" || path === "/") return { to: "start" };
	if (path === "/account") return { to: "account" };
	const found = /^\/m\/([a-z0-9-]+)(?:\/(.*))?$/.exec(path);
	if (!found) return { to: "nowhere" };
	return { to: "module", moduleId: found[1] ?? "", subpath: decode(found[2] ?? "") };
}

function decode(text: string): string {
	try {
		return decodeURI(text);
	} catch {
		return text;
	}
}

export const startHash = "#/";
export const accountHash = "#/account";

/** The fragment of a module's own address. */
export function moduleHash(moduleId: string, subpath = ""): string {
	const own = subpath.replace(/^\/+/, "");
	return own === "" ? `#/m/${moduleId}` : `#/m/${moduleId}/${encodeURI(own)}`;
}
