import { useSignal } from "@preact/signals";
import { Button } from "../../../kit/button";
import { Status } from "../../../kit/status";
import type { App } from "../../app/app";
import type { Failure } from "../../data/request";
import { FailureNote } from "../../shell/errorpage";
import { w } from "./words";

/** The download of everything that is kept about the person. */
export function OwnData({ app }: { readonly app: App }) {
	const refused = useSignal<{ failure: Failure; at: Date } | undefined>(undefined);
	const missing = useSignal<readonly string[]>([]);
	const busy = useSignal(false);
	const download = async () => {
		if (busy.value) return;
		busy.value = true;
		const result = await app.platform.exportData();
		busy.value = false;
		refused.value = result.ok ? undefined : { failure: result, at: new Date() };
		missing.value = result.ok ? missingOf(result.value) : [];
		if (!result.ok) return;
		save(JSON.stringify(result.value, undefined, "\t"), "narthex-data.json");
		app.announce(w("downloaded"));
	};
	return (
		<section>
			<div>
				<h2>{w("ownData")}</h2>
				<p class="d-muted">{w("ownDataHelp")}</p>
			</div>
			<div>
				<Button busy={busy.value} busyWords={w("collecting")} onPress={download}>
					{w("downloadData")}
				</Button>
				{missing.value.length > 0 && (
					<Status>{w("incomplete", { module: missing.value.join(", ") })}</Status>
				)}
				{refused.value && <FailureNote {...refused.value} />}
			</div>
		</section>
	);
}

/** The ids of the modules whose part is missing in the file. */
function missingOf(data: unknown): readonly string[] {
	const { missing } = (data ?? {}) as { missing?: unknown };
	return Array.isArray(missing) ? missing.map(String) : [];
}

/** Makes the browser save a text as a file. */
function save(text: string, name: string): void {
	const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
	URL.revokeObjectURL(address);
}
