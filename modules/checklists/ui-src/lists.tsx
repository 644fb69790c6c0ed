import {
	Button, DraftNote, Form, ListRow, Note, ScreenHeader, SelectField, TextField, useDraft,
} from "@narthex/kit";
import { useState } from "preact/hooks";
import { type Board, type Item, type List, type Moment, moments } from "../server-src/board";
import type { Tools } from "./tools";

/** The lists themselves, for people who write them. */
export function Lists({ tools: { context, say }, board }: { readonly tools: Tools; readonly board: Board }) {
	const add = <Button kind="primary" onPress={() => context.navigate("lists/new")}>{say("newList")}</Button>;
	return (
		<>
			<ScreenHeader actions={add} />
			<ul class="d-list">
				{board.lists.map(({ id, title, moment, items }) => (
					<ListRow
						key={id}
						title={<a href={`#/m/${context.module.id}/lists/${id}`}><bdi>{title}</bdi></a>}
						second={`${say(moment)} · ${say("stepCount", { count: items.length })}`}
					/>
				))}
			</ul>
		</>
	);
}

const draftOf = (list: List | undefined) => ({
	rev: list?.rev ?? 0,
	title: list?.title ?? "",
	moment: list?.moment ?? ("close" as Moment),
	minutes: `${list?.minutes ?? 30}`,
	steps: list?.items.map(({ text }) => text).join("\n") ?? "",
});

const minutesWords = { open: "before", close: "after", event: "before", hand: "within" } as const;

/** The steps of what was typed. One whose text stays is the same step, and stays done. */
function itemsOf(typed: string, before: readonly Item[]) {
	const left = [...before];
	const texts = typed.split("\n").map((text) => text.trim()).filter((text) => text !== "");
	return texts.map((text) => {
		const at = left.findIndex((item) => item.text === text);
		return at < 0 ? { text } : left.splice(at, 1)[0];
	});
}

/** The form of one list, or of a new one. What was typed is kept when the page is left. */
export function ListForm({ tools, list }: { readonly tools: Tools; readonly list: List | undefined }) {
	const { context, say, send } = tools;
	const draft = useDraft(context.drafts, `list ${list?.id ?? "new"}`, () => draftOf(list));
	const [conflict, setConflict] = useState(false);
	const { rev, title, moment, minutes, steps } = draft.value;
	const change = (part: Partial<typeof draft.value>) => draft.set((before) => ({ ...before, ...part }));
	const close = () => {
		draft.discard();
		context.navigate("lists", { replace: true });
	};
	const save = async () => {
		const items = itemsOf(steps, list?.items ?? []);
		const body = { title: title.trim(), moment, minutes: Number(minutes), items };
		const result = list
			? await send("PUT", `/lists/${list.id}`, { ...body, rev }, "saved")
			: await send("POST", "/lists", body, "saved");
		if (result.ok) close();
		else setConflict(result.why === "changed");
	};
	const remove = async (gone: List) => {
		const question = { title: say("removeQuestion", { title: gone.title }), body: say("removeHelp") };
		const sure = await context.confirm({ ...question, yes: say("remove"), no: say("keep"), danger: true });
		if (sure && (await send("DELETE", `/lists/${gone.id}`, undefined, "removed")).ok) close();
	};
	const field = (name: "title" | "minutes" | "steps") => ({
		value: draft.value[name],
		onInput: (value: string) => change({ [name]: value }),
		required: true,
	});
	return (
		<Form onSubmit={save}>
			<DraftNote draft={draft} />
			{conflict && (
				<Note tone="bad" role="alert">
					<p>{say("changed")}</p>
					<Button onPress={() => (draft.begin(draftOf(list)), setConflict(false))}>{say("takeTheirs")}</Button>
				</Note>
			)}
			<TextField label={say("title")} maxLength={60} {...field("title")} />
			<SelectField
				label={say("moment")}
				value={moment}
				options={moments.map((value) => ({ value, label: say(value) }))}
				onInput={(value) => change({ moment: value as Moment })}
			/>
			<TextField label={say(minutesWords[moment])} type="number" {...field("minutes")} />
			<TextField label={say("steps")} lines={10} {...field("steps")} />
			<div class="d-row">
				<Button submit kind="primary">{say("save")}</Button>
				<Button onPress={close}>{say("cancel")}</Button>
				{list && <Button kind="danger" onPress={() => remove(list)}>{say("remove")}</Button>}
			</div>
		</Form>
	);
}
