import { Button, clockError, DateInput, DraftNote, Field, Form, IconButton, useDraft } from "@narthex/kit";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Result } from "./api";
import { type Days, dayOf } from "./board";
import type { Tools } from "./tools";

interface AwayProps {
	readonly tools: Tools;
	readonly title: string;
	/** Days away, or days on which the person would like to serve. */
	readonly kind?: "away" | "wish";
	/** The volunteer; none for the person who is signed in. */
	readonly of?: string;
	readonly away: readonly Days[];
	readonly rev: number;
	write(away: readonly Days[], rev: number): Promise<Result<unknown>>;
	changed(): unknown;
	/** What else is asked, above the days. */
	readonly children?: ComponentChildren;
}

const none: Days = { from: "", to: "" };

/** The periods in which a person is away, or would like to serve. */
export function Away(props: AwayProps) {
	const { tools, title, kind = "away", of, away, rev, write, changed, children } = props;
	const { context, say, tell, day } = tools;
	const edited = useDraft(context.drafts, `${kind}/${of ?? "own"}`, none);
	const draft = edited.value;
	const [wrong, setWrong] = useState("");
	const change = (next: Days) => {
		edited.set(next);
		setWrong("");
	};
	const save = async (next: readonly Days[], done: string): Promise<boolean> => {
		const result = await write(next, rev);
		const saved = tell(result, done, undefined, () => save(next, done));
		await changed();
		return saved;
	};
	const add = async () => {
		const to = draft.to || draft.from;
		const unclear = clockError(draft.from) ?? clockError(to);
		if (unclear !== undefined) return setWrong(unclear);
		if (draft.from === "") return setWrong(say("dayNeeded"));
		if (to < draft.from) return setWrong(say("endBeforeStart"));
		if (away.some(({ from }) => from === draft.from)) return setWrong(say("dayTwice"));
		if (await save([...away, { from: draft.from, to }], say("daysSaved"))) change(none);
	};
	const remove = async (gone: Days): Promise<void> => {
		await save(
			away.filter((days) => days !== gone),
			say("daysRemoved"),
		);
	};
	const today = dayOf(context.serverNow());
	const words = ({ from, to }: Days) =>
		from === to ? day(from) : say("fromTo", { from: day(from), to: day(to) });
	return (
		<section class="d-card d-stack">
			<h2>{title}</h2>
			{children}
			<ul class="days">
				{away
					.filter(({ to }) => to >= today)
					.map((days) => (
						<li key={days.from}>
							{words(days)}
							<IconButton
								icon="trash"
								label={say("removeOf", { name: words(days) })}
								onPress={() => remove(days)}
							/>
						</li>
					))}
			</ul>
			<DraftNote draft={edited} />
			<Form class="away" onSubmit={add}>
				<Field
					label={say("firstDay")}
					error={wrong || undefined}
					control={(control) => (
						<DateInput
							{...control}
							min={today}
							value={draft.from}
							onInput={(from) => change({ ...draft, from })}
						/>
					)}
				/>
				<Field
					label={say("lastDay")}
					optional
					control={(control) => (
						<DateInput
							{...control}
							min={clockError(draft.from) === undefined ? draft.from || today : today}
							value={draft.to}
							onInput={(to) => change({ ...draft, to })}
						/>
					)}
				/>
				<Button submit>{say("addDays")}</Button>
			</Form>
		</section>
	);
}
