import { SelectField } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { EditDialog } from "./editdialog";
import type { ListedService, Service } from "./plan";
import type { Tools } from "./tools";

interface CopyDialogProps {
	readonly tools: Tools;
	readonly service: Service;
	close(): void;
	/** Called with the ids of the new items. */
	copied(items: readonly string[]): void;
}

/** Chooses the service whose items are added to this one. */
export function CopyDialog({ tools, service, close, copied }: CopyDialogProps) {
	const { context, api, say, time } = tools;
	const [others, setOthers] = useState<readonly ListedService[]>([]);
	const [chosen, setChosen] = useState<string>();
	const [refused, setRefused] = useState<Refusal>();
	const load = async () => {
		const pages = await Promise.all([api.services("upcoming"), api.services("past")]);
		if (context.signal.aborted) return;
		const all = nearestFirst(service, pages.flatMap((page) => (page.ok ? page.value.rows : [])));
		setOthers(all);
		setChosen(all[0]?.id);
		const failed = pages.find((page) => !page.ok);
		setRefused(failed?.ok === false ? failed.why : undefined);
	};
	useEffect(() => void load(), []);
	const save = async () => {
		if (chosen === undefined) return;
		const result = await api.copyItems(service.id, chosen);
		if (context.signal.aborted) return;
		if (!result.ok) return setRefused(result.why);
		close();
		copied(result.value.items);
	};
	return (
		<EditDialog
			tools={tools}
			title={say("copyOrder")}
			saveWords={say("copy")}
			refused={refused}
			save={save}
			close={close}
		>
			<p class="d-muted">{say("copyHelp")}</p>
			<SelectField
				label={say("copyFrom")}
				value={chosen ?? ""}
				options={others.map(({ id, title, startsAt, items }) => ({
					value: id,
					label: `${title}, ${time(startsAt)}, ${say("countItems", { count: items })}`,
				}))}
				onInput={setChosen}
			/>
		</EditDialog>
	);
}

/** Services that have items; those nearest in time come first. */
function nearestFirst(service: Service, all: readonly ListedService[]): readonly ListedService[] {
	const apart = ({ startsAt }: ListedService) => Math.abs(Date.parse(startsAt) - Date.parse(service.startsAt));
	return all.filter(({ id, items }) => id !== service.id && items > 0).sort((a, b) => apart(a) - apart(b));
}
