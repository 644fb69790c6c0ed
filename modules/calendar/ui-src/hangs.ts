import type { ModuleUiContext } from "@narthex/sdk";
import { countOf, type SignUpDate, type Deed as SignUpDeed, whoHears, whoHearsOfService } from "./signedup";
import type { Tools } from "./tools";

/** What is about to happen to a service. */
export type Deed = "move" | "cancel";

/** A contribution to calendar.services: says what hangs on a service, such as people who said yes. */
interface Hangs {
	hangs(service: string, deed: Deed, tools: HangsTools): Promise<string | undefined>;
}

interface HangsTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	readonly locale: string;
	readonly signal: AbortSignal;
}

/** How long a contribution may take, in milliseconds. */
const limit = 5000;

/** Asks whoever moves or cancels a service that something hangs on. Returns whether to go on. */
export async function mayChange(tools: Tools, service: string, title: string, deed: Deed): Promise<boolean> {
	const { context, say } = tools;
	const hangs = await whatHangs(tools, service, deed);
	if (context.signal.aborted) return false;
	const body = [...hangs, ...(deed === "cancel" ? [say("cancelServiceHelp")] : [])].join(" ");
	if (deed === "move" && hangs.length === 0) return true;
	return context.confirm({
		title: say(deed === "move" ? "moveQuestion" : "cancelQuestion", { title }),
		...{ body, yes: say(deed === "move" ? "move" : "cancelService"), no: say("keepService") },
		danger: deed === "cancel",
	});
}

/** What hangs on a service: its sign-ups, and a sentence for each other module that knows something. */
async function whatHangs({ context, say }: Tools, service: string, deed: Deed): Promise<readonly string[]> {
	const own = { id: "signups", ask: () => whoHearsOfService(context, service, deed) };
	const others = context.contributions.map((contribution) => ({
		id: contribution.id,
		ask: () => ask(contribution, context, service, deed),
	}));
	const found = await Promise.all(
		[own, ...others].map(async (one) => {
			try {
				return await inTime(one.ask());
			} catch (error) {
				console.error(`What hangs on a service is not known from ${one.id}:`, error);
				if (one === own) return say("signedUpUnknown");
				return say("hangsUnknown", { module: one.id.split(".")[0] ?? "" });
			}
		}),
	);
	return found.filter((sentence) => sentence !== undefined);
}

interface AboutToHappen {
	readonly event: string;
	readonly title: string;
	readonly deed: SignUpDeed;
	/** The dates that it concerns. */
	concerns(date: SignUpDate): boolean;
}

/**
 * Asks whoever moves or cancels an event, or dates of one, for which people have signed up. Returns whether
 * to go on; for nobody that is not asked.
 */
export async function mayConcern(
	{ api, context, say }: Tools,
	{ event, title, deed, concerns }: AboutToHappen,
): Promise<boolean> {
	const lists = await api.signUpDates(event);
	if (context.signal.aborted) return false;
	const body = lists.ok
		? whoHears(context, deed, countOf(lists.value.dates, concerns))
		: say("signedUpUnknown");
	if (body === undefined) return true;
	const cancels = deed === "cancel";
	const yes = say(cancels ? "cancelEvent" : deed === "move" ? "move" : "changeAll");
	return context.confirm({
		title: say(cancels ? "cancelQuestion" : deed === "move" ? "moveQuestion" : "changeQuestion", { title }),
		...{ body, yes, no: say("keepEvent"), danger: cancels },
	});
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
