/** The message from a page to its worker. */
export interface ToWorker {
	readonly narthex: "keep";
	readonly page: string;
	readonly host: string;
	readonly moduleId: string;
	readonly version: string;
	/** Paths of the artifacts that this display has loaded. */
	readonly scripts: readonly string[];
	/** Paths of all artifacts that it may load in this version. */
	readonly current: readonly string[];
}

/** The messages from the worker to a page. */
export interface FromWorker {
	/** A script came from the cache, or the page did and a newer one can be loaded. */
	readonly narthex: "from-cache" | "newer";
}
