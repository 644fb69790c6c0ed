import { Button, houseTime } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { PastImport } from "./api";
import { tell, type Tools } from "./tools";

/** The imports of the last day, each of which can be undone as a whole. */
export function PastImports({ tools }: { readonly tools: Tools }) {
	const { context, api, say, language } = tools;
	const time = houseTime(language, { dateStyle: "medium", timeStyle: "short" });
	const [imports, setImports] = useState<readonly PastImport[]>([]);
	const read = async (): Promise<void> => {
		const result = await api.imports();
		if (result.ok && !context.signal.aborted) setImports(result.value.imports);
	};
	useEffect(() => void read(), []);
	const undo = async (id: string): Promise<void> => {
		const result = await api.undoImport(id);
		if (context.signal.aborted) return;
		if (result.ok) {
			const { removed, kept } = result.value;
			const stays = kept > 0 ? say("importKept", { count: kept }) : "";
			context.announce(say("importUndone", { count: removed }) + stays);
		} else tell(tools, result, "", () => undo(id));
		await read();
	};
	if (imports.length === 0) return null;
	return (
		<>
			<h2>{say("undoTitle")}</h2>
			<p class="d-muted">{say("undoHelp")}</p>
			<ul class="past-imports">
				{imports.map(({ id, at, events }) => {
					const when = time(at);
					return (
						<li key={id} class="d-row">
							<span>{say("pastImport", { when, events: say("countEvents", { count: events }) })}</span>
							<Button label={say("undoImportOf", { when })} onPress={() => undo(id)}>
								{say("undoImport")}
							</Button>
						</li>
					);
				})}
			</ul>
		</>
	);
}
