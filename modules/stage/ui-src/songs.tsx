import {
	Button,
	type Column,
	EmptyState,
	Menu,
	type MenuItem,
	ScreenHeader,
	Skeleton,
	Status,
	Table,
	TextField,
} from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import { Link, Unread, useList } from "./lists";
import type { ListedSong } from "./plan";
import type { Tools } from "./tools";

/** All songs, by title. */
export function SongsScreen({ tools }: { readonly tools: Tools }) {
	const { context, api, say, edits } = tools;
	const [search, setSearch] = useState("");
	const [asked, setAsked] = useState("");
	useEffect(() => {
		const timer = setTimeout(() => setAsked(search.trim()), 200);
		return () => clearTimeout(timer);
	}, [search]);
	const list = useList(tools, (cursor) => api.songs(asked, cursor), asked);
	useEffect(() => context.setTitle(say("songs")), []);
	const columns: readonly Column<ListedSong>[] = [
		{
			...{ id: "song", head: say("song"), part: "title" },
			cell: ({ id, title }) =>
				edits ? (
					<Link tools={tools} to={`songs/${id}`} class="d-name">
						<bdi>{title}</bdi>
					</Link>
				) : (
					<bdi class="d-name">{title}</bdi>
				),
		},
		{
			...{ id: "credit", head: say("credit"), part: "detail" },
			cell: ({ credit }) => <bdi class="d-second">{credit}</bdi>,
		},
		{
			...{ id: "sections", head: say("sections"), part: "detail", width: "130px" },
			cell: ({ sections }) => <span class="d-second">{say("countSections", { count: sections })}</span>,
		},
	];
	const write = edits && (
		<Button kind="primary" icon="plus" onPress={() => context.navigate("songs/new")}>
			{say("newSong")}
		</Button>
	);
	const menu: MenuItem[] = [
		{ id: "services", label: say("services"), icon: "list", onPick: () => context.navigate("") },
	];
	if (edits) {
		const open = () => context.navigate("exchange");
		menu.push({ id: "exchange", label: say("exchange"), icon: "upload", onPick: open });
	}
	return (
		<>
			<ScreenHeader
				actions={
					<>
						{write}
						<Menu label={say("more")} items={menu} />
					</>
				}
			/>
			<div class="toolbar">
				<TextField type="search" label={say("findSong")} value={search} onInput={setSearch} />
			</div>
			{list.rows === undefined ? (
				list.refused === undefined ? (
					<Skeleton rows={6} />
				) : (
					<Unread tools={tools} why={list.refused} retry={list.reload} />
				)
			) : list.rows.length === 0 ? (
				asked === "" ? (
					<EmptyState title={say("noSongs")} {...(edits && { help: say("noSongsHelp"), action: write })} />
				) : (
					<Status>{say("nothingMatches")}</Status>
				)
			) : (
				<Table label={say("songs")} columns={columns} rows={list.rows} rowId={({ id }) => id} />
			)}
			{list.hasMore && (
				<div class="d-row further">
					<Button onPress={list.more}>{say("showMore")}</Button>
				</div>
			)}
		</>
	);
}
