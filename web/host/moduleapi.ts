import { followed } from "./slow";

/** The headers that a module may set: those that need no preflight to another origin, and Content-Type. */
const allowedHeaders = new Set(["accept", "accept-language", "content-language", "content-type"]);

export interface ModuleApiOptions {
	/** The module's own root, absolute, without a trailing slash. */
	readonly root: string;
	/** Called with the status when the server responds with 401 or 403. */
	denied(status: number): void;
	readonly signal: AbortSignal;
}

/** The requests of one module to its own routes (see Context.api). */
export function moduleApi(
	options: ModuleApiOptions,
): (path: string, init?: RequestInit) => Promise<Response> {
	return async (path, init = {}) => {
		const address = moduleAddress(options.root, path);
		for (const name of new Headers(init.headers).keys()) {
			if (!allowedHeaders.has(name))
				throw new TypeError("Only Content-Type and the safelisted headers may be set.");
		}
		const signal = init.signal ? AbortSignal.any([init.signal, options.signal]) : options.signal;
		const response = await followed(
			fetch(address, { ...init, credentials: "include", mode: "cors", redirect: "error", signal }),
		);
		if (response.status === 401 || response.status === 403) options.denied(response.status);
		return response;
	};
}

/** The URL of a path below root. A path that leads elsewhere throws a TypeError. */
export function moduleAddress(root: string, path: string): string {
	const address = new URL(root + path);
	const below = new URL(root + "/");
	if (
		!path.startsWith("/") ||
		address.origin !== below.origin ||
		!address.pathname.startsWith(below.pathname)
	) {
		throw new TypeError("A path begins with / and stays below the module's root.");
	}
	return address.href;
}
