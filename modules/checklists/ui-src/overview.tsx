import { Button, EmptyState } from "@narthex/kit";
import type { Board } from "../server-src/board";
import { Rounds } from "./rounds";
import type { Tools } from "./tools";

/** What is to be done this week, and what was. The next one is the first. */
export function Overview({ tools, board }: { readonly tools: Tools; readonly board: Board }) {
	const { context, say, send, edits } = tools;
	const begin = async (list: string) => {
		const begun = await send<{ id: string }>("POST", `/lists/${list}/rounds`);
		if (begun.ok) context.navigate(`round/${begun.value.id}`);
	};
	const newList = <Button onPress={() => context.navigate("lists/new")}>{say("newList")}</Button>;
	if (board.lists.length === 0) {
		return <EmptyState title={say("noLists")} help={say("noListsHelp")} action={edits && newList} />;
	}
	const given = { say, board, now: context.serverNow() };
	const due = board.rounds.filter(({ finishedAt }) => finishedAt === null);
	const done = board.rounds.filter(({ finishedAt }) => finishedAt !== null);
	return (
		<>
			<section>
				<h2>{say("overview")}</h2>
				{due.length > 0 ? <Rounds {...given} rounds={due} /> : <p class="d-muted">{say("nothing")}</p>}
			</section>
			{done.length > 0 && (
				<section>
					<h2>{say("done")}</h2>
					<Rounds {...given} rounds={done} />
				</section>
			)}
			<section>
				<h2>{say("startNow")}</h2>
				<p class="d-muted">{say("startHelp")}</p>
				<div class="d-row">
					{board.lists.map(({ id, title }) => (
						<Button key={id} icon="play" onPress={() => begin(id)}><bdi>{title}</bdi></Button>
					))}
				</div>
			</section>
		</>
	);
}
