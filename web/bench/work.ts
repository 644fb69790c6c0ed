// What dev says of the modules at work (cmd/narthex/dev/bench.go).

export interface Route {
	readonly method: string;
	readonly path: string;
	readonly permission: string;
	readonly maxBodyBytes: number;
}

export interface Work {
	readonly id: string;
	readonly name: string;
	readonly version: string;
	/** Why the module does not run; "" if it runs. */
	readonly blocked: string;
	readonly routes: readonly Route[];
	readonly channels: readonly { readonly name: string; readonly permission: string }[];
	readonly schedules: readonly { readonly name: string; readonly seconds: number }[];
	/** The module is told when a person is erased. */
	readonly erases: boolean;
}

export interface Seen {
	readonly module: string;
	readonly method: string;
	readonly path: string;
	/** 0 while it is in progress, and for what is no request. */
	readonly status: number;
	readonly millis: number;
	readonly at: string;
	readonly lines: readonly string[];
}

export interface Mail {
	readonly to: readonly string[];
	readonly subject: string;
	readonly text: string;
	readonly at: string;
}

export interface State {
	readonly modules: readonly Work[];
	readonly requests: readonly Seen[];
	readonly mails: readonly Mail[];
}

export async function readState(): Promise<State | undefined> {
	try {
		const response = await fetch("/_dev/work", { cache: "no-store" });
		return response.ok ? ((await response.json()) as State) : undefined;
	} catch {
		return undefined; // while a saved version starts
	}
}

/** Asks dev to run a schedule, or to tell a module of an erasure. It returns what to show. */
export async function act(what: "run" | "erase", module: string, name: string): Promise<string> {
	const response = await fetch(`/_dev/${what}`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ module, name }),
	});
	if (!response.ok) return `Not done: status ${response.status}`;
	const { failure } = (await response.json()) as { readonly failure: string };
	return failure === "" ? "Done." : `Failed: ${failure}. The module's lines say why.`;
}

/** Sends a request to a module's route as the person who is signed in. */
export async function tryRoute(module: string, route: Route, path: string, body: string): Promise<string> {
	const withBody = route.maxBodyBytes > 0 && body !== "";
	try {
		const response = await fetch(`/api/v1/modules/${module}${path}`, {
			method: route.method,
			...(withBody && { headers: { "Content-Type": "application/json" }, body }),
		});
		return `${response.status}\n${await response.text()}`;
	} catch (error) {
		return `No answer: ${String(error)}`;
	}
}
