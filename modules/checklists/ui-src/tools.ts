import { houseTime } from "@narthex/kit";
import { type ModuleUiContext, moduleApi, type Result } from "@narthex/sdk";
import { type Say, type WordId, wordsOf } from "./words";

const codes = {
	LIST_TITLE_TAKEN: "exists",
	CONFLICT: "changed",
	TOO_MANY_LISTS: "tooMany",
	ADDRESS_INVALID: "address",
	REQUEST_INVALID: "invalid",
} as const;

const passing: readonly WordId[] = ["offline", "busy", "failed"];

/** The tools of every part of this UI. */
export interface Tools {
	readonly context: ModuleUiContext;
	readonly say: Say;
	readonly edits: boolean;
	when(moment: string): string;
	/** Sends a change and shows how it ended; done says nothing if it is undefined. */
	send<Value>(...request: Request): Promise<Result<Value, WordId>>;
}
type Method = "GET" | "POST" | "PUT" | "DELETE";
type Request = [method: Method, path: string, body?: object | undefined, done?: WordId | undefined];

export function toolsOf(context: ModuleUiContext): Tools {
	const say = wordsOf(context);
	const api = moduleApi(context, codes);
	const send = async <Value>(...request: Request): Promise<Result<Value, WordId>> => {
		const [method, path, body, done] = request;
		const result = await api.send<Value>(method, path, body);
		if (context.signal.aborted) return result;
		const again = { label: say("tryAgain"), run: () => send(...request) };
		if (result.ok) done && context.announce(say(done));
		else context.announce(say(result.why), "assertive", passing.includes(result.why) ? again : undefined);
		return result;
	};
	return {
		...{ context, say, send, when: whenIn(say.language) },
		edits: context.permissions.includes("checklists.edit"),
	};
}

/** "Sun 22:15", in the zone of the house. */
export const whenIn = (language: string) =>
	houseTime(language, { weekday: "short", hour: "numeric", minute: "2-digit" });
