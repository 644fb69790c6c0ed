import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button";
import type { Collected, One } from "./collected";
import {
	bodyOf, freshValues, Input, labelOf, problemOf, shown, type Typed, valuesOf,
} from "./collectionfields";
import { type Refused, refusedOf } from "./collectionrows";
import { c } from "./collectionwords";
import { DraftNote, mayClose, OtherVersion, useDraft } from "./draft";
import { Form } from "./field";
import { Note, ScreenHeader, Skeleton } from "./layout";
import { k } from "./words";

interface FormProps {
	readonly all: Collected;
	/** The row to be edited; none for a new one. */
	readonly row: One | undefined;
	/** Called when the row is saved, or the form is closed without. */
	done(saved: boolean): void;
	readonly more?: ComponentChildren;
}

interface Draft {
	readonly values: Typed;
	/** The row as it was read; none: the form adds one. */
	readonly row: One | undefined;
}

/** The form of one row. Whoever saves what somebody else has saved meanwhile sees that first. */
export function RowForm({ all, row, done, more }: FormProps) {
	const { context, path, fields, own, api, open, send, check, inline } = all;
	const begun = (of: One | undefined): Draft => ({
		values: of ? (open?.(of) ?? valuesOf(fields, of)) : freshValues(fields),
		row: of,
	});
	const draft = useDraft<Draft>(context.drafts, `${path}/${row?.id ?? "new"}`, () => begun(row));
	const { values } = draft.value;
	const [wrong, setWrong] = useState<Readonly<Record<string, string | undefined>>>({});
	const [refused, setRefused] = useState<Refused>();
	/** What somebody else has saved meanwhile. */
	const [theirs, setTheirs] = useState<One>();
	const [gone, setGone] = useState(false);
	const form = useRef<HTMLDivElement>(null);
	const settle = (next: Draft) => {
		draft.begin(next);
		setTheirs(undefined);
		setRefused(undefined);
		setGone(false);
		setWrong({});
	};
	useLayoutEffect(() => {
		if (inline && row) form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
	}, []);

	const save = async (): Promise<void> => {
		const checked = check?.(values) ?? {};
		const found: Record<string, string> = {};
		for (const [name, field] of Object.entries(fields)) {
			const problem = problemOf(field, values[name] ?? "") ?? checked[name];
			if (problem !== undefined) found[name] = problem;
		}
		setWrong(found);
		if (Object.keys(found).length > 0) return;
		const base = theirs ?? draft.value.row;
		const body = send ? send(values, base) : bodyOf(fields, values);
		const result = await (base && !gone
			? api.send<One>("PUT", `${path}/${base.id}`, { ...body, rev: base.rev })
			: api.send<One>("POST", path, body));
		if (context.signal.aborted) return;
		if (!result.ok) return refuse(refusedOf(result));
		context.announce(c("saved"));
		settle(inline && !row ? begun(undefined) : draft.value);
		done(true);
	};
	const refuse = async (why: Refused): Promise<void> => {
		setTheirs(undefined);
		setRefused(undefined);
		if (Object.hasOwn(fields, why.field)) return setWrong({ [why.field]: all.refusal(why) });
		if (why.code === "CONFLICT") setTheirs(await all.fresh(draft.value.row?.id));
		else if (why.why === "gone" && row) setGone(true);
		if (!context.signal.aborted) setRefused({ ...why, field: "" });
	};
	const cancel = async (): Promise<void> => {
		if (await mayClose(draft, context.confirm)) done(false);
	};
	const single = inline && Object.keys(fields).length === 1;
	return (
		<div ref={form} class="d-wide">
			<Form onSubmit={save}>
				<DraftNote draft={draft} discard={() => settle(begun(row))} />
				{refused && (
					<Note tone="bad" role="alert">
						<p>{theirs ? c("theirs") : gone ? c("theirsGone") : all.refusal(refused)}</p>
						{theirs && (
							<>
								<OtherVersion fields={versions(all, values, begun(theirs).values)} />
								<div class="d-row">
									<Button onPress={() => settle(begun(theirs))}>{c("takeTheirs")}</Button>
									<Button onPress={save}>{c("keepMine")}</Button>
								</div>
							</>
						)}
					</Note>
				)}
				{Object.entries(fields).map(([name, field]) => {
					const words = labelOf(own.fields, name);
					const label = single ? (row ? c("edit", { name: all.nameOf(row) }) : own.add) : words.label;
					return (
						<Input
							key={name}
							field={field}
							words={{ ...words, label }}
							value={values[name] ?? ""}
							error={wrong[name]}
							onInput={(typed) =>
								draft.set((before) => ({ ...before, values: { ...before.values, [name]: typed } }))
							}
						/>
					);
				})}
				<div class="d-row">
					<Button submit kind="primary" busyWords={c("saving")}>
						{c(row || !inline ? "save" : "add")}
					</Button>
					{(row || !inline) && <Button onPress={cancel}>{k("cancel")}</Button>}
					{more}
				</div>
			</Form>
		</div>
	);
}

function versions({ fields, own }: Collected, mine: Typed, theirs: Typed) {
	return Object.entries(fields).map(([name, field]) => {
		const words = labelOf(own.fields, name);
		const read = (values: Typed) => shown(field, values[name] ?? "", words);
		return [words.label, read(mine), read(theirs)] as const;
	});
}

interface PageProps {
	readonly all: Collected;
	/** The id of the row; none for a new one. */
	readonly id: string | undefined;
}

/** The page of one row: its form, or what it says for those who may not write. */
export function RowPage({ all, id }: PageProps) {
	const { context, own, at = "", list, writes, remove } = all;
	const [row, setRow] = useState(() => all.known(id));
	const [refused, setRefused] = useState<Refused>();
	const leave = () => context.navigate(at, { replace: true });
	const read = async (): Promise<void> => {
		setRefused(undefined);
		const found = await all.fresh(id, setRefused);
		if (!context.signal.aborted) setRow(found);
	};
	useEffect(() => {
		if (id !== undefined && row === undefined) void read();
	}, []);
	useEffect(() => context.setTitle(row ? all.nameOf(row) : id === undefined ? own.add : own.title), [row]);
	if (id !== undefined && row === undefined) {
		if (refused === undefined) return <Skeleton shape="form" />;
		return (
			<div class="d-stack">
				<ScreenHeader />
				<Note tone="bad" role="alert">
					<p>{all.refusal(refused)}</p>
				</Note>
				<div class="d-row">
					{refused.why !== "gone" && <Button onPress={read}>{k("tryAgain")}</Button>}
					<Button onPress={leave}>{c("toList")}</Button>
				</div>
			</div>
		);
	}
	const done = (saved: boolean) => {
		if (saved) void list.reload();
		leave();
	};
	const removal = row && (
		<Button
			kind="quiet"
			icon="trash"
			class="d-end"
			onPress={async () => {
				if (!(await remove(row))) return;
				context.drafts.delete(`${all.path}/${row.id}`);
				leave();
			}}
		>
			{own.deleteHelp === undefined ? c("deleteWord") : c("deleteAsk")}
		</Button>
	);
	return (
		<>
			<ScreenHeader />
			{writes ? <RowForm {...{ all, row, done }} more={removal} /> : row && <Reading {...{ all, row }} />}
		</>
	);
}

/** A row for people who may not write. */
function Reading({ all: { fields, own, open }, row }: { readonly all: Collected; readonly row: One }) {
	const values = open?.(row) ?? valuesOf(fields, row);
	return (
		<dl class="d-version">
			{Object.entries(fields).map(([name, field]) => {
				const words = labelOf(own.fields, name);
				return (
					<div key={name}>
						<dt>{words.label}</dt>
						<dd dir="auto">{shown(field, values[name] ?? "", words) || "–"}</dd>
					</div>
				);
			})}
		</dl>
	);
}
