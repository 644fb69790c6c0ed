import { type ModuleUiContext, moduleApi, type Result } from "@narthex/sdk";
import { type WordId, wordsOf } from "./words";

const codes = {
	ADDRESS_INVALID: "address",
	REQUEST_INVALID: "invalid",
} as const;

const passing: readonly WordId[] = ["offline", "busy", "failed"];

/** The tools of every part of this UI. */
export type Tools = ReturnType<typeof toolsOf>;

export function toolsOf(context: ModuleUiContext) {
	const say = wordsOf(context);
	const api = moduleApi(context, codes);
	/** Sends a change and shows how it ended; without done it says nothing of a success. */
	const send = async <Value>(
		method: "GET" | "POST" | "PUT" | "DELETE",
		path: string,
		body?: object,
		done?: WordId,
	): Promise<Result<Value, WordId>> => {
		const result = await api.send<Value>(method, path, body);
		if (context.signal.aborted) return result;
		const again = { label: say("tryAgain"), run: () => send(method, path, body, done) };
		if (result.ok) done && context.announce(say(done));
		else context.announce(say(result.why), "assertive", passing.includes(result.why) ? again : undefined);
		return result;
	};
	return { context, say, send, edits: context.permissions.includes("checklists.edit") };
}
