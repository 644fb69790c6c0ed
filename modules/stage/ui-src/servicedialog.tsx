import { clockError, instantOf, localTime, MomentField, TextField, useDraft } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Refusal } from "./api";
import { EditDialog } from "./editdialog";
import { whatHangs } from "./hangs";
import { limits, type ListedService, nextSunday, type Service } from "./plan";
import type { Tools } from "./tools";

interface ServiceDialogProps {
	readonly tools: Tools;
	/** The service to be changed; none for a new one. */
	readonly service?: Service;
	/** The services that are planned already. */
	readonly planned?: readonly ListedService[];
	close(): void;
	saved(id: string): void;
	/** Writes the service as it was, over a rev. */
	back?(rev: number): void;
}

interface Draft {
	readonly title: string;
	readonly startsAt: string;
	/** The rev of the service that was read; none for a new one. */
	readonly rev?: number;
}

/** The key of the words in the dialog of a service; of a new one without an id. */
export const serviceDraft = (id = "new"): string => `service/${id}`;

/** The title and the start of a service. */
export function ServiceDialog({ tools, service, planned = [], close, saved, back }: ServiceDialogProps) {
	const { context, api, say, time } = tools;
	const edited = useDraft<Draft>(context.drafts, serviceDraft(service?.id), () =>
		service === undefined
			? { title: "", startsAt: nextSunday(context.serverNow(), planned) }
			: draftOf(service),
	);
	const draft = edited.value;
	const [problems, setProblems] = useState<{ title?: string; startsAt?: string }>({});
	const [refused, setRefused] = useState<Refusal>();
	const [theirs, setTheirs] = useState<Service>();
	const when = (at: string) => (at === "" || clockError(at) !== undefined ? at : time(at));
	const change = (part: Partial<Draft>) => edited.set((before) => ({ ...before, ...part }));
	const save = async (rev = draft.rev) => {
		const found = {
			...(draft.title.trim() === "" && { title: say("titleNeeded") }),
			...(draft.startsAt === "" && { startsAt: say("startNeeded") }),
		};
		setProblems(found);
		if (Object.keys(found).length > 0 || clockError(draft.startsAt) !== undefined) return;
		const moves = service !== undefined && draft.startsAt !== localTime(service.startsAt);
		if (moves) {
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
			: api.editService(service.id, { ...sent, rev }));
		if (context.signal.aborted) return;
		setTheirs(undefined); // another one may have been saved since
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok && result.why === "conflict" && service !== undefined) {
			const read = await api.service(service.id);
			if (!context.signal.aborted && read.ok) setTheirs(read.value);
		}
		if (!result.ok) return;
		const undo = moves && back && { label: say("undo"), run: () => back(result.value.rev) };
		context.announce(say("saved"), "polite", undo || undefined);
		edited.discard();
		close();
		saved(result.value.id);
	};
	return (
		<EditDialog
			tools={tools}
			title={say(service === undefined ? "newService" : "editService")}
			refused={refused}
			theirs={
				theirs && {
					fields: [
						[say("title"), draft.title, theirs.title],
						[say("start"), when(draft.startsAt), when(localTime(theirs.startsAt))],
					],
					take: () => {
						edited.begin(draftOf(theirs));
						setRefused(undefined);
					},
					replace: () => save(theirs.rev),
				}
			}
			save={() => save()}
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

const draftOf = ({ title, startsAt, rev }: Service): Draft => ({ title, startsAt: localTime(startsAt), rev });
