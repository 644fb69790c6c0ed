import type { ModuleUiContext } from "@narthex/sdk";
import type { Tools } from "./tools";

/** What is about to happen to a service. */
export type Deed = "move" | "cancel";

/** A contribution to stage.services: says what hangs on a service, such as people who said yes. */
export interface Hangs {
	/** A sentence for whoever is about to move or cancel the service; undefined if nothing hangs on it. */
	hangs(service: string, deed: Deed, tools: HangsTools): Promise<string | undefined>;
}

export interface HangsTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	readonly locale: string;
	readonly signal: AbortSignal;
}

/** How long a contribution may take, in milliseconds. */
const limit = 5000;

/** What hangs on a service, a sentence for each module that knows something. */
export async function whatHangs(
	{ context, say }: Tools,
	service: string,
	deed: Deed,
): Promise<readonly string[]> {
	const found = await Promise.all(
		context.contributions.map(async (contribution) => {
			try {
				return await inTime(ask(contribution, context, service, deed));
			} catch (error) {
				console.error(`What hangs on a service is not known from ${contribution.id}:`, error);
				return say("hangsUnknown", { module: contribution.id.split(".")[0] ?? "" });
			}
		}),
	);
	return found.filter((sentence) => sentence !== undefined);
}

async function ask(
	contribution: ModuleUiContext["contributions"][number],
	{ locale, signal }: ModuleUiContext,
	service: string,
	deed: Deed,
): Promise<string | undefined> {
	const { hangs } = (await contribution.load()) as Hangs;
	return hangs(service, deed, { locale, signal, api: (path, init) => contribution.api(path, init) });
}

function inTime<Value>(what: Promise<Value>): Promise<Value> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error("it takes too long")), limit);
		void what.then(resolve, reject).finally(() => clearTimeout(timer));
	});
}
