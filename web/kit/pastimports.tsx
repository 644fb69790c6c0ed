import { useEffect, useState } from "preact/hooks";
import { Button } from "./button";
import { houseTime } from "./house";
import { Note } from "./layout";
import { w } from "./importwords";
import { k, kitLocale } from "./words";

/** An import that can be undone; see Imports of the Go SDK. */
export interface PastImport {
	readonly id: string;
	/** A moment. */
	readonly at: string;
	/** How many rows it has written, by their kind. */
	readonly counts: Readonly<Record<string, number>>;
}

/** What an undo has done. */
export interface UndoneImport {
	readonly removed: number;
	readonly restored: number;
	readonly keptCount: number;
	/** The first names of what stays. */
	readonly kept: readonly string[];
}

type Sent<Value, Refused> = { readonly ok: true; readonly value: Value } | Refused;

export interface PastImportsProps<Refused> {
	readonly context: {
		readonly signal: AbortSignal;
		announce(
			text: string,
			level?: "polite" | "assertive",
			action?: { readonly label: string; run(): unknown },
		): void;
	};
	readonly api: {
		imports(): Promise<Sent<{ readonly imports: readonly PastImport[] }, Refused>>;
		undoImport(id: string): Promise<Sent<UndoneImport, Refused>>;
	};
	/** What an import has brought, in words: "30 songs". */
	what(counts: PastImport["counts"]): string;
	/** Why an undo failed. */
	refused(result: Refused): string;
	/** What to say if there is none; without it nothing is shown then. */
	readonly none?: string;
}

/** The imports of the last day, each of which can be undone as a whole. What stays then is named. */
export function PastImports<Refused extends { readonly ok: false }>(props: PastImportsProps<Refused>) {
	const { context, api, what, refused, none } = props;
	const time = houseTime(kitLocale.value, { dateStyle: "medium", timeStyle: "short" });
	const [imports, setImports] = useState<readonly PastImport[]>();
	const [done, setDone] = useState<UndoneImport>();
	const read = async (): Promise<void> => {
		const result = await api.imports();
		if (result.ok && !context.signal.aborted) setImports(result.value.imports);
	};
	useEffect(() => void read(), []);
	const undo = async (id: string): Promise<void> => {
		const result = await api.undoImport(id);
		if (context.signal.aborted) return;
		if (result.ok) setDone(result.value);
		else context.announce(refused(result), "assertive", { label: k("tryAgain"), run: () => undo(id) });
		await read();
	};
	if (imports === undefined || (imports.length === 0 && !done)) {
		return imports && none !== undefined ? <p>{none}</p> : null;
	}
	return (
		<section class="d-stack d-past">
			<h2>{w("importsPast")}</h2>
			{done && (
				<Note tone={done.keptCount > 0 ? "warn" : "ok"} role="status">
					<p>{w("importUndone", { removed: done.removed, restored: done.restored })}</p>
					{done.keptCount > 0 && <p>{keptOf(done)}</p>}
				</Note>
			)}
			{imports.length > 0 && <p class="d-muted">{w("importsPastHelp")}</p>}
			<ul class="d-past-imports">
				{imports.map(({ id, at, counts }) => (
					<li key={id} class="d-row">
						<span>
							{time(at)}: {what(counts)}
						</span>
						<Button label={w("importUndoOf", { when: time(at) })} onPress={() => undo(id)}>
							{k("undo")}
						</Button>
					</li>
				))}
			</ul>
		</section>
	);
}

function keptOf({ kept, keptCount }: UndoneImport): string {
	const more = keptCount - kept.length;
	const names = more > 0 && kept.length > 0 ? [...kept, w("importMore", { count: more })] : kept;
	return w("importKept", { count: keptCount, names: names.length > 0 ? `: ${names.join(", ")}` : "" });
}
