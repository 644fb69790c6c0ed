import {
	Button,
	type Column,
	EmptyState,
	Menu,
	type MenuItem,
	ScreenHeader,
	Segments,
	Skeleton,
	Table,
	ZoneNote,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { When } from "./api";
import { Link, Unread, useList } from "./lists";
import type { ListedService } from "./plan";
import { ServiceDialog, serviceDraft } from "./servicedialog";
import type { Tools } from "./tools";

interface ServicesProps {
	readonly tools: Tools;
	readonly when: When;
}

/** The upcoming or the past services. */
export function ServicesScreen({ tools, when }: ServicesProps) {
	const { context, api, say, edits, drives, holdsWords } = tools;
	const list = useList(tools, (cursor) => api.services(when, cursor), when);
	const [writes, setWrites] = useState(edits && holdsWords(serviceDraft()));
	useEffect(() => context.setTitle(context.module.name), []);
	const restore = async (id: string): Promise<void> => {
		const result = await api.restoreService(id);
		context.announce(say(result.ok ? "restored" : result.why), result.ok ? "polite" : "assertive");
		list.reload();
	};
	const write = edits && (
		<Button kind="primary" icon="plus" onPress={() => setWrites(true)}>
			{say("newService")}
		</Button>
	);
	const menu: MenuItem[] = [
		{ id: "songs", label: say("songs"), icon: "music", onPick: () => context.navigate("songs") },
	];
	if (edits) {
		const open = () => context.navigate("exchange");
		menu.push({ id: "exchange", label: say("exchange"), icon: "upload", onPick: open });
	}
	return (
		<>
			<ScreenHeader
				sub={<ZoneNote />}
				actions={
					<>
						{write}
						<Menu label={say("more")} items={menu} />
					</>
				}
			/>
			<div class="toolbar">
				<Segments
					name="when"
					label={say("services")}
					chosen={when}
					segments={[
						{ id: "upcoming", label: say("upcoming") },
						{ id: "past", label: say("past") },
						...(edits ? [{ id: "cancelled", label: say("cancelledOnes") } as const] : []),
					]}
					onChoose={(chosen) => context.navigate(chosen === "upcoming" ? "" : chosen, { stay: true })}
				/>
			</div>
			{list.rows === undefined ? (
				list.refused === undefined ? (
					<Skeleton rows={6} />
				) : (
					<Unread tools={tools} why={list.refused} retry={list.reload} />
				)
			) : list.rows.length === 0 ? (
				<EmptyState
					title={say(none[when])}
					{...(edits && when === "upcoming" ? { help: say("noneHelp"), action: write } : {})}
				/>
			) : (
				<Table
					label={say("services")}
					columns={when === "cancelled" ? cancelledColumns(tools, restore) : columnsOf(tools, drives)}
					rows={list.rows}
					rowId={({ id }) => id}
				/>
			)}
			{list.hasMore && (
				<div class="d-row further">
					<Button onPress={list.more}>{say("showMore")}</Button>
				</div>
			)}
			{writes && (
				<ServiceDialog
					tools={tools}
					planned={(when === "upcoming" && list.rows) || []}
					close={() => setWrites(false)}
					saved={(id) => context.navigate(`service/${id}`)}
				/>
			)}
		</>
	);
}

const none = { upcoming: "none", past: "nonePast", cancelled: "noneCancelled" } as const;

/** Cancelled services cannot be opened, only brought back. */
function cancelledColumns(
	tools: Tools,
	restore: (id: string) => Promise<void>,
): readonly Column<ListedService>[] {
	const { say, time } = tools;
	return [
		{ id: "service", head: say("service"), part: "title", cell: ({ title }) => <bdi>{title}</bdi> },
		{
			id: "start",
			head: say("start"),
			part: "detail",
			width: "220px",
			cell: ({ startsAt }) => <span class="when">{time(startsAt)}</span>,
		},
		{
			id: "actions",
			head: say("actions"),
			hideHead: true,
			part: "actions",
			width: "180px",
			cell: ({ id, title }) => (
				<Button label={say("restoreOf", { title })} onPress={() => restore(id)}>
					{say("restore")}
				</Button>
			),
		},
	];
}

function columnsOf(tools: Tools, drives: boolean): readonly Column<ListedService>[] {
	const { context, say, time, minutes } = tools;
	return [
		{
			id: "service",
			head: say("service"),
			part: "title",
			cell: ({ id, title }) => (
				<Link tools={tools} to={`service/${id}`} class="d-name">
					<bdi>{title}</bdi>
				</Link>
			),
		},
		{
			id: "start",
			head: say("start"),
			part: "detail",
			width: "220px",
			cell: ({ startsAt }) => <span class="when">{time(startsAt)}</span>,
		},
		{
			id: "length",
			head: say("length"),
			part: "detail",
			width: "170px",
			cell: ({ items, seconds }) => (
				<span class="d-second">
					{say("countItems", { count: items })}
					{seconds > 0 && `, ${minutes(seconds)}`}
				</span>
			),
		},
		...(drives
			? [
					{
						id: "actions",
						head: say("actions"),
						hideHead: true,
						part: "actions" as const,
						width: "120px",
						cell: ({ id, title }: ListedService) => (
							<Button
								kind="quiet"
								icon="play"
								label={say("driveOf", { title })}
								onPress={() => context.navigate(`live/${id}`)}
							>
								{say("drive")}
							</Button>
						),
					},
				]
			: []),
	];
}
