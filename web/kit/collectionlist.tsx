import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button";
import type { Collected, One } from "./collected";
import { secondLine, valuesOf } from "./collectionfields";
import { RowForm } from "./collectionform";
import { refusedOf } from "./collectionrows";
import { c } from "./collectionwords";
import { TextField } from "./field";
import { EmptyState, Note, ScreenHeader, Skeleton } from "./layout";
import { Menu, type MenuItem } from "./menu";
import { Grip, placed, type Reorder, useReorder } from "./reorder";
import { Status } from "./status";
import { ListRow } from "./table";
import { k } from "./words";

/** The list of a collection, with its search and, if it is inline, its form. */
export function CollectionList({ all }: { readonly all: Collected }) {
	const { context, own, list, writes, inline, path, transfer, buttons } = all;
	/** The row in the form above the list; null: a new one, undefined: the one with a draft. */
	const [chosen, setChosen] = useState<One | null>();
	const edited = chosen === undefined ? list.rows?.find(({ id }) => drafted(all, id)) : (chosen ?? undefined);
	const root = useRef<HTMLDivElement>(null);
	useEffect(() => context.setTitle(own.title), []);
	const close = (row: One | undefined, saved: boolean) => {
		setChosen(null);
		if (saved) void list.reload();
		if (row) root.current?.querySelector<HTMLElement>(`[data-row="${row.id}"] button`)?.focus();
	};
	const add = writes && !inline && (
		<Button kind="primary" icon="plus" onPress={() => context.navigate(address(all, "new"))}>
			{own.add}
		</Button>
	);
	const items: MenuItem[] = [];
	if (transfer && writes) {
		items.push({ id: "export", label: c("export"), icon: "copy", onPick: all.export });
		if (transfer === "both") {
			const open = () => context.navigate(address(all, "import"));
			items.push({ id: "import", label: c("import"), icon: "upload", onPick: open });
		}
	}
	const menu = items.length > 0 && <Menu label={k("more")} items={items} />;
	return (
		<>
			<ScreenHeader
				actions={
					<>
						{buttons}
						{add}
						{menu}
					</>
				}
			/>
			<div class="d-stack" ref={root}>
				{all.search && (
					<div class="d-search">
						<TextField type="search" label={own.search ?? c("search")} value={list.search} onInput={list.find} />
					</div>
				)}
				{inline && writes && (
					<RowForm
						key={`${path}/${edited?.id}`}
						{...{ all, row: edited }}
						done={(saved) => close(edited, saved)}
					/>
				)}
				<Shown {...{ all, add, edit: setChosen }} />
				{list.hasMore && <Button onPress={list.more}>{c("more")}</Button>}
			</div>
		</>
	);
}

const address = ({ at = "" }: Collected, part: string): string => (at === "" ? part : `${at}/${part}`);

const drafted = ({ context, path }: Collected, id: One["id"]): boolean =>
	context.drafts.get(`${path}/${id}`) !== undefined;

interface ShownProps {
	readonly all: Collected;
	readonly add: ComponentChildren;
	/** Opens a row in the form above the list. */
	edit(row: One): void;
}

function Shown({ all, add, edit }: ShownProps) {
	const { own, list, writes } = all;
	const { rows, refused } = list;
	if (rows === undefined) {
		if (refused === undefined) return <Skeleton rows={5} />;
		return (
			<>
				<Note tone="bad" role="alert">
					<p>{all.refusal(refused)}</p>
				</Note>
				<Button onPress={list.reload}>{k("tryAgain")}</Button>
			</>
		);
	}
	if (rows.length > 0) return <Items {...{ all, rows, edit }} />;
	if (list.asked !== "") return <Status>{k("noMatch")}</Status>;
	const help = writes && own.emptyHelp !== undefined && { help: own.emptyHelp };
	return (
		<div class="d-wide">
			<EmptyState title={own.empty} {...help} action={add} />
		</div>
	);
}

interface ItemsProps {
	readonly all: Collected;
	readonly rows: readonly One[];
	edit(row: One): void;
}

function Items({ all, rows, edit }: ItemsProps) {
	const { context, own, list } = all;
	const ordered = all.ordered && all.writes && list.asked === "" && rows.length > 1;
	const byId = new Map(rows.map((row) => [String(row.id), row]));
	const move = async (id: string, to: number): Promise<void> => {
		const order = placed([...byId.keys()], id, to);
		const inOrder = order.flatMap((other) => byId.get(other) ?? []);
		const moved = inOrder[to];
		if (moved === undefined) return;
		const result = await list.place(moved.id, inOrder[to - 1]?.id ?? null, inOrder);
		if (context.signal.aborted) return;
		if (result.ok) context.announce(c("moved", { name: all.nameOf(moved), place: to + 1 }));
		else all.fail(refusedOf(result), () => move(id, to));
	};
	const reorder = useReorder([...byId.keys()], move);
	return (
		<ul class="d-list d-wide" aria-label={own.title}>
			{reorder.order.map((id) => {
				const row = byId.get(id);
				return row && <Item key={id} {...{ all, row, edit }} {...(ordered && { reorder })} />;
			})}
		</ul>
	);
}

interface ItemProps {
	readonly all: Collected;
	readonly row: One;
	readonly reorder?: Reorder;
	edit(row: One): void;
}

/** One row: its name, which leads to its page, or else buttons that change it. */
function Item({ all, row, reorder, edit }: ItemProps) {
	const { own, fields, inline, writes } = all;
	const name = all.nameOf(row);
	const id = String(row.id);
	const title = all.title?.(row) ?? <bdi>{name}</bdi>;
	const line = secondLine(fields, own.fields, valuesOf(fields, row));
	const second = all.second ? all.second(row, line) : line || undefined;
	const removes = inline && writes;
	const remove = () => all.remove(row);
	const removal = own.deleteHelp === undefined ? c("deleteWord") : c("deleteAsk");
	const items = ({ order, step }: Reorder): MenuItem[] => {
		const [at, last] = [order.indexOf(id), order.length - 1];
		const moves: MenuItem[] = [
			{ id: "up", label: k("moveUp"), icon: "up", idle: at === 0, onPick: () => step(id, -1) },
			{ id: "down", label: k("moveDown"), icon: "down", idle: at === last, onPick: () => step(id, 1) },
		];
		if (!removes) return moves;
		const change: MenuItem = { id: "edit", label: c("editWord"), icon: "pencil", onPick: () => edit(row) };
		return [change, ...moves, { id: "delete", label: removal, icon: "trash", onPick: remove }];
	};
	return (
		<ListRow
			rowId={id}
			class={reorder?.dragged === id ? "d-dragged" : ""}
			moved={reorder?.moved === id}
			lead={reorder && <Grip {...{ reorder, id, name }} />}
			title={
				inline ? (
					title
				) : (
					<a class="d-name" href={all.to(id)}>
						{title}
					</a>
				)
			}
			{...(second !== undefined && { second })}
		>
			{all.actions?.(row)}
			{reorder ? (
				<Menu label={c("moreOf", { name })} items={items(reorder)} />
			) : (
				removes && (
					<>
						<IconButton icon="pencil" label={c("edit", { name })} onPress={() => edit(row)} />
						<IconButton icon="trash" label={c("delete", { name })} onPress={remove} />
					</>
				)
			)}
		</ListRow>
	);
}
