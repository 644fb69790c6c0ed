/** What a page tells its worker. */
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
	/** Answered with a boolean on the port that comes along. */
	| { readonly narthex: "served-from-cache?" };

/** What the worker tells a page. */
export interface FromWorker {
	readonly narthex: "from-cache";
}
