import { CollectionScreen, Menu, type MenuItem } from "@narthex/kit";
import { limits, type ListedSong, sectionsOf, type Song, wordsOf } from "./plan";
import { songWords } from "./songwords";
import type { Tools } from "./tools";

/** All songs by title, and the form of one. */
export function SongsScreen({ tools }: { readonly tools: Tools }) {
	const { context, say, edits } = tools;
	const menu: MenuItem[] = [
		{ id: "services", label: say("services"), icon: "list", onPick: () => context.navigate("") },
	];
	if (edits) {
		const open = () => context.navigate("exchange");
		menu.push({ id: "exchange", label: say("exchange"), icon: "upload", onPick: open });
	}
	return (
		<CollectionScreen
			{...{ context, path: "/songs", write: "stage.plan.edit", channel: "plans", at: "songs" }}
			search
			partial
			words={songWords}
			fields={{
				title: { type: "text", max: limits.title },
				credit: { type: "text", optional: true, max: limits.credit },
				words: { type: "lines", rows: 16, max: limits.words },
				verseOrder: { type: "text", optional: true, max: limits.text },
				copyright: { type: "text", optional: true, max: limits.credit },
				ccli: { type: "text", optional: true, max: limits.ccli },
			}}
			buttons={<Menu label={say("more")} items={menu} />}
			second={({ sections }: ListedSong, line) =>
				[line, say("countSections", { count: sections })].filter(Boolean).join(" · ")
			}
			open={({ title, credit, sections, order, copyright, ccli }: Song) => ({
				title,
				credit,
				words: wordsOf(sections),
				verseOrder: order.join(", "),
				copyright,
				ccli,
			})}
			send={({ words, verseOrder, ...others }) => ({
				...others,
				sections: sectionsOf(words),
				order: namesOf(verseOrder),
			})}
			check={({ words, verseOrder }) => {
				const sections = sectionsOf(words);
				const unknown = namesOf(verseOrder).find((name) => sections.every(({ label }) => label !== name));
				return {
					...(sections.length === 0 && { words: say("wordsNeeded") }),
					...(unknown !== undefined && { verseOrder: say("verseOrderUnknown", { name: unknown }) }),
				};
			}}
		/>
	);
}

const namesOf = (verseOrder: string): string[] =>
	verseOrder
		.split(/[,\n]/)
		.map((name) => name.trim())
		.filter((name) => name !== "");
