import { Button, type Column, EmptyState, Grip, Icon, Menu, Table, useReorder } from "@narthex/kit";
import { type Item, kindIcons, nameOf, type Service } from "./plan";
import type { Tools } from "./tools";

interface ItemsProps {
	readonly tools: Tools;
	readonly service: Service;
	move(id: string, to: number): Promise<void>;
	edit(item: Item): void;
	remove(item: Item): Promise<void>;
}

/** The items of a service with the times at which they should begin. */
export function ItemsTable({ tools, service, move, edit, remove }: ItemsProps) {
	const { context, say, edits, hour, minutes } = tools;
	const reorder = useReorder(
		service.items.map(({ id }) => id),
		move,
	);
	const byId = new Map(service.items.map((item) => [item.id, item]));
	const rows = reorder.order.flatMap((id) => byId.get(id) ?? []);
	if (rows.length === 0) return <EmptyState title={say("noItems")} />;
	const begins = new Map<string, number>();
	let at = Date.parse(service.startsAt);
	for (const item of rows) {
		begins.set(item.id, at);
		at += item.seconds * 1000;
	}
	const grip: Column<Item> = {
		...{ id: "grip", head: say("order"), hideHead: true, width: "40px" },
		cell: (item) => <Grip reorder={reorder} id={item.id} name={nameOf(item)} />,
	};
	const songOf = (id: string) => ({
		id: "song",
		label: say("editSong"),
		icon: "music" as const,
		onPick: () => context.navigate(`songs/${id}`),
	});
	const actions: Column<Item> = {
		...{ id: "actions", head: say("actions"), hideHead: true, part: "actions", width: "150px" },
		cell: (item, n) => (
			<>
				<Button kind="quiet" label={say("editOf", { title: nameOf(item) })} onPress={() => edit(item)}>
					{say("edit")}
				</Button>
				<Menu
					label={say("moreOf", { title: nameOf(item) })}
					items={[
						{ id: "up", label: say("up"), icon: "up", idle: n === 0, onPick: () => reorder.step(item.id, -1) },
						{
							...{ id: "down", label: say("down"), icon: "down", idle: n === rows.length - 1 },
							onPick: () => reorder.step(item.id, 1),
						},
						...(item.songId === null ? [] : [songOf(item.songId)]),
						{ id: "delete", label: say("deleteAsk"), icon: "trash", grave: true, onPick: () => remove(item) },
					]}
				/>
			</>
		),
	};
	const columns: readonly Column<Item>[] = [
		...(edits ? [grip] : []),
		{
			...{ id: "begins", head: say("time"), width: "92px" },
			cell: (item) => <span class="when">{hour(begins.get(item.id) ?? 0)}</span>,
		},
		{ id: "item", head: say("item"), part: "title", cell: (item) => <About item={item} tools={tools} /> },
		{
			...{ id: "length", head: say("length"), part: "detail", width: "110px" },
			cell: (item) => (item.seconds > 0 ? <span class="d-second">{minutes(item.seconds)}</span> : null),
		},
		...(edits ? [actions] : []),
	];
	return (
		<Table
			label={say("order")}
			class="items"
			columns={columns}
			rows={rows}
			rowId={({ id }) => id}
			rowClass={({ id }) =>
				id === reorder.dragged ? "d-moved d-dragged" : id === reorder.moved ? "d-moved" : undefined
			}
		/>
	);
}

/** The kind and the name of an item, and how a song is played; its text can be opened. */
function About({ item, tools: { say } }: { readonly item: Item; readonly tools: Tools }) {
	const { transpose, capo } = item;
	const played = [
		...(transpose === 0 ? [] : [say(transpose > 0 ? "higher" : "lower", { count: Math.abs(transpose) })]),
		...(capo === 0 ? [] : [`${say("capo")}: ${say("capoAt", { at: capo })}`]),
	];
	const name = (
		<span class="about-item">
			<Icon name={kindIcons[item.kind]} size={16} />{" "}
			<span class="d-unseen">{say(item.kind)}: </span>
			<bdi class="d-name">{nameOf(item)}</bdi>
			{played.length > 0 && <span class="d-second">{played.join(" · ")}</span>}
		</span>
	);
	if (item.text === "") return name;
	return (
		<details class="about-text">
			<summary>{name}</summary>
			<p dir="auto">{item.text}</p>
		</details>
	);
}
