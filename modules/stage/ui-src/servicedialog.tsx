import { clockError, instantOf, localTime, MomentField, TextField, useDraft } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Refusal } from "./api";
import { EditDialog } from "./editdialog";
import { whatHangs } from "./hangs";
import { limits, nextSunday, type Service } from "./plan";
import type { Tools } from "./tools";

interface ServiceDialogProps {
	readonly tools: Tools;
	/** The service to be changed; none for a new one. */
	readonly service?: Service;
	close(): void;
	saved(id: string): void;
}

interface Draft {
	readonly title: string;
	readonly startsAt: string;
}

/** The title and the start of a service. */
export function ServiceDialog({ tools, service, close, saved }: ServiceDialogProps) {
	const { context, api, say } = tools;
	const key = `service/${service?.id ?? "new"}`;
	const edited = useDraft<Draft>(context.drafts, key, () =>
		service === undefined
			? { title: "", startsAt: nextSunday(context.serverNow()) }
			: { title: service.title, startsAt: localTime(service.startsAt) },
	);
	const draft = edited.value;
	const [problems, setProblems] = useState<{ title?: string; startsAt?: string }>({});
	const [refused, setRefused] = useState<Refusal>();
	const change = (part: Partial<Draft>) => edited.set((before) => ({ ...before, ...part }));
	const save = async () => {
		const found = {
			...(draft.title.trim() === "" && { title: say("titleNeeded") }),
			...(draft.startsAt === "" && { startsAt: say("startNeeded") }),
		};
		setProblems(found);
		if (Object.keys(found).length > 0 || clockError(draft.startsAt) !== undefined) return;
		if (service !== undefined && draft.startsAt !== localTime(service.startsAt)) {
			const hangs = await whatHangs(tools, service.id, "move");
			if (context.signal.aborted) return;
			const question = {
				title: say("moveQuestion", { title: service.title }),
				...{ body: hangs.join(" "), yes: say("move"), no: say("keep") },
			};
			if (hangs.length > 0 && !(await context.confirm(question))) return;
		}
		const sent = { title: draft.title.trim(), startsAt: instantOf(draft.startsAt) };
		const result = await (service === undefined
			? api.createService(sent)
			: api.editService(service.id, { ...sent, rev: service.rev }));
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		context.announce(say("saved"));
		edited.discard();
		close();
		saved(result.value.id);
	};
	return (
		<EditDialog
			tools={tools}
			title={say(service === undefined ? "newService" : "editService")}
			refused={refused}
			save={save}
			draft={edited}
			close={close}
		>
			<TextField
				label={say("title")}
				required
				maxLength={limits.title}
				value={draft.title}
				error={problems.title}
				onInput={(title) => change({ title })}
			/>
			<MomentField
				label={say("start")}
				value={draft.startsAt}
				error={problems.startsAt}
				onInput={(startsAt) => change({ startsAt })}
			/>
		</EditDialog>
	);
}
