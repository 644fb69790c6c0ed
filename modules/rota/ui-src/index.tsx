import { Note, Skeleton } from "@narthex/kit";
import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Board } from "./board";
import { AwayPage } from "./awaypage";
import { Claim } from "./claim";
import { FillPage } from "./fillpage";
import { useBoard } from "./live";
import { MinePage } from "./minepage";
import { MonthPage } from "./monthpage";
import { RolesPage } from "./rolespage";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";
import { TransferPage } from "./transferpage";
import { VolunteerPage } from "./volunteerpage";
import { VolunteersPage } from "./volunteerspage";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(css);
		render(<Rota tools={toolsOf(context)} />, container);
		return () => render(null, container);
	},
});

/** The first page: the month for coordinators, a person's own dates for everybody else. */
function Rota({ tools }: { readonly tools: Tools }) {
	const { context } = tools;
	const [subpath, setSubpath] = useState(context.subpath);
	useEffect(() => context.onNavigate(setSubpath), []);
	const [page = "", part = "", detail = ""] = subpath.split("/");
	const own = page === "mine" || page === "claim" || (page === "" && !tools.manages);
	return (
		<div class="rota" lang={tools.language}>
			{tools.manages && page !== "claim" && <Tabs tools={tools} page={own ? "mine" : page} />}
			{page === "claim" && <Claim tools={tools} token={subpath.slice("claim/".length)} />}
			{own && page !== "claim" && <MinePage tools={tools} />}
			{!own && <Managed {...{ tools, page, part, detail }} />}
		</div>
	);
}

const pages = [
	["", "tabMonth"],
	["volunteers", "tabVolunteers"],
	["roles", "tabRoles"],
	["mine", "tabMine"],
] as const;

function Tabs({ tools: { context, say }, page }: { readonly tools: Tools; readonly page: string }) {
	const shown = page === "board" || page === "fill" ? "" : page;
	return (
		<nav class="tabs d-off-paper" aria-label={say("tabs")}>
			{pages.map(([path, word]) => (
				<a
					key={path}
					href={`#/m/${context.module.id}/${path}`}
					aria-current={path === shown ? "page" : undefined}
				>
					{say(word)}
				</a>
			))}
		</nav>
	);
}

interface ManagedProps {
	readonly tools: Tools;
	readonly page: string;
	readonly part: string;
	readonly detail: string;
}

/** How many volunteers the list draws at once: hundreds would take seconds on a phone. */
const perPage = 100;

/** The pages that use the board. */
function Managed({ tools, page, part, detail }: ManagedProps) {
	const { board, again } = useBoard(tools.context);
	const [drawn, setDrawn] = useState(perPage); // the list comes back as long as it was
	if (board === "refused" || !tools.manages) {
		return (
			<Note tone="warn" role="alert">
				<p>{tools.say("denied", { permission: "rota.manage" })}</p>
			</Note>
		);
	}
	if (board === undefined) return <Skeleton rows={6} />;
	return <Page {...{ tools, board, again, page, part, detail, drawn, setDrawn }} />;
}

interface PageProps extends ManagedProps {
	readonly board: Board;
	again(): void;
	/** How many volunteers are drawn. */
	readonly drawn: number;
	setDrawn(drawn: number): void;
}

function Page({ tools, board, again, page, part, detail, drawn, setDrawn }: PageProps) {
	switch (page) {
		case "volunteers":
			if (detail === "away") return <AwayPage tools={tools} board={board} id={part} />;
			return part === "" ? (
				<VolunteersPage tools={tools} board={board} drawn={drawn} more={() => setDrawn(drawn + perPage)} />
			) : (
				<VolunteerPage
					key={part}
					tools={tools}
					board={board}
					id={part === "new" ? undefined : part}
					created={() => setDrawn(Infinity)} // wherever the alphabet puts the new one
				/>
			);
		case "roles":
			return <RolesPage tools={tools} board={board} />;
		case "fill":
			return <FillPage key={part} {...{ tools, board }} month={part} />;
		case "transfer":
			return <TransferPage tools={tools} />;
		default:
			return <MonthPage {...{ tools, board, again }} month={page === "board" ? part : ""} />;
	}
}
