/** The messages from a page to its worker. */
export type ToWorker =
	| {
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
	/** The worker responds with a boolean on the port of the message. */
	| { readonly narthex: "served-from-cache?" };

/** The messages from the worker to a page. */
export interface FromWorker {
	readonly narthex: "from-cache";
}
