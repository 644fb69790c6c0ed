import { EmptyState, Note, Skeleton } from "@narthex/kit";
import { defineModuleUi, live } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Board, Update } from "../server-src/board";
import { ListForm, Lists } from "./lists";
import { Overview } from "./overview";
import { type Me, RoundPage } from "./round";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";
import type { Say } from "./words";

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
	if (!board.rounds.some(({ id }) => id === round.id)) return undefined;
	return { ...board, rev, rounds: board.rounds.map((one) => (one.id === round.id ? round : one)) };
}

/** What is not there: a round that was begun a moment ago comes with the next board. */
function Gone({ say }: { readonly say: Say }) {
	const [sure, setSure] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setSure(true), 3_000);
		return () => clearTimeout(timer);
	}, []);
	return sure ? <EmptyState title={say("gone")} /> : <Skeleton rows={5} />;
}

function Checklists({ tools }: { readonly tools: Tools }) {
	const { context, say, send, edits } = tools;
	const [[page, id], setPath] = useState(context.subpath.split("/"));
	const [board, setBoard] = useState<Board | "refused">();
	const [me, setMe] = useState<Me>({ id: "", address: "" });
	useEffect(() => context.onNavigate((subpath) => setPath(subpath.split("/"))), []);
	useEffect(() => {
		void send<Me>("GET", "/me").then((answer) => answer.ok && setMe(answer.value));
		const refused = () => setBoard((shown) => shown ?? "refused");
		const following = live<Board, Update>(context, "board", { apply, changed: setBoard, refused });
		return () => following.stop();
	}, []);
	if (board === undefined || (me.id === "" && board !== "refused")) return <Skeleton rows={5} />;
	if (board === "refused") return <Note tone="warn">{say("denied")}</Note>;
	const round = board.rounds.find((one) => one.id === id);
	const list = board.lists.find((one) => one.id === (page === "round" ? round?.listId : id));
	const link = (path: string, word: "overview" | "lists", current: boolean) => (
		<a href={`#/m/${context.module.id}/${path}`} aria-current={current ? "page" : undefined}>
			{say(word)}
		</a>
	);
	const shown = () => {
		if (page === "round" && round && list) return <RoundPage key={id} {...{ tools, list, round, me }} />;
		if (edits && page === "lists" && id === undefined) return <Lists {...{ tools, board }} />;
		if (edits && page === "lists" && (list || id === "new")) return <ListForm key={id} {...{ tools, list }} />;
		return page === "" ? <Overview {...{ tools, board }} /> : <Gone key={id} say={say} />;
	};
	return (
		<div class="checklists" lang={say.language}>
			{(edits || page !== "") && (
				<nav aria-label={say("pages")}>
					{link("", "overview", page === "")}
					{edits && link("lists", "lists", page === "lists")}
				</nav>
			)}
			{shown()}
		</div>
	);
}
