import { CollectionScreen } from "@narthex/kit";
import { type Board, type Item, type List, moments } from "../server-src/board";
import { listWords } from "./listwords";
import type { Tools } from "./tools";

/** The steps of what was typed. One whose text stays is the same step, and stays done. */
function itemsOf(typed: string, before: readonly Item[]) {
	const left = [...before];
	const texts = typed.split("\n").map((text) => text.trim()).filter((text) => text !== "");
	return texts.map((text) => {
		const at = left.findIndex((item) => item.text === text);
		return at < 0 ? { text } : left.splice(at, 1)[0];
	});
}

interface ListsProps {
	readonly tools: Tools;
	readonly board: Board;
}

/** The lists themselves, for people who write them. */
export const Lists = ({ tools: { context, say }, board }: ListsProps) => (
	<CollectionScreen
		{...{ context, path: "/lists", write: "checklists.edit", at: "lists", rows: board.lists, words: listWords }}
		fields={{
			title: { type: "text", max: 60 },
			moment: { type: "choice", of: moments, initial: "close" },
			minutes: { type: "number", min: 0, max: 720, initial: "30" },
			steps: { type: "lines", rows: 10, max: 12_000 },
		}}
		second={({ items }: List, line) => `${line} · ${say("stepCount", { count: items.length })}`}
		open={({ title, moment, minutes, items }: List) => ({
			...{ title, moment, minutes: `${minutes}`, steps: items.map(({ text }) => text).join("\n") },
		})}
		send={({ title, moment, minutes, steps }, list: List | undefined) => ({
			...{ title: title.trim(), moment, minutes: Number(minutes), items: itemsOf(steps, list?.items ?? []) },
		})}
	/>
);
