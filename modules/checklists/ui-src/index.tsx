import { EmptyState, Note, Skeleton } from "@narthex/kit";
import { defineModuleUi, live } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Board, Me, Update } from "../server-src/board";
import { Lists } from "./lists";
import { Overview } from "./overview";
import { RoundPage } from "./round";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(css);
		render(<Checklists tools={toolsOf(context)} />, container);
		return () => render(null, container);
	},
});

/** The board after an update; undefined if it has to be read again. */
function apply(board: Board, { rev, round }: Update): Board | undefined {
	if (rev <= board.rev) return board;
	if (rev > board.rev + 1 || round === undefined) return undefined;
	const rounds = [...board.rounds.filter(({ id }) => id !== round.id), round];
	return { ...board, rev, rounds: rounds.sort((a, b) => a.due.localeCompare(b.due)) };
}

function Checklists({ tools }: { readonly tools: Tools }) {
	const { context, say, send, edits } = tools;
	const [[page, id], setPath] = useState(context.subpath.split("/"));
	const [board, setBoard] = useState<Board>();
	const [refused, setRefused] = useState(false);
	const [me, setMe] = useState<Me>();
	useEffect(() => context.onNavigate((subpath) => setPath(subpath.split("/"))), []);
	useEffect(() => {
		void send<Me>("GET", "/me").then((answer) => answer.ok && setMe(answer.value));
		const reader = { apply, changed: setBoard, refused: () => setRefused(true) };
		return live<Board, Update>(context, "board", reader).stop;
	}, []);
	const round = board?.rounds.find((one) => one.id === id);
	const list = board?.lists.find((one) => one.id === round?.listId);
	const title = list?.title ?? say("tile");
	useEffect(() => {
		if (page !== "lists") context.setTitle(title);
	}, [page, title]);
	if (refused && !board) return <Note tone="warn">{say("readDenied")}</Note>;
	if (!board || !me) return <Skeleton rows={5} />;
	const link = (path: "" | "lists", word: "overview" | "lists") => (
		<a href={`#/m/${context.module.id}/${path}`} aria-current={page === path ? "page" : undefined}>
			{say(word)}
		</a>
	);
	const shown = () => {
		if (page === "round" && round && list) return <RoundPage key={id} {...{ tools, list, round, me }} />;
		if (edits && page === "lists") return <Lists {...{ tools, board }} />;
		return page === "" ? <Overview {...{ tools, board }} /> : <EmptyState title={say("gone")} />;
	};
	return (
		<div class="checklists" lang={say.language}>
			{(edits || page !== "") && (
				<nav aria-label={say("pages")}>
					{link("", "overview")}
					{edits && link("lists", "lists")}
				</nav>
			)}
			{shown()}
		</div>
	);
}
