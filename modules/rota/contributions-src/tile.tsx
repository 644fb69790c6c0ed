import { defineContribution } from "@narthex/sdk";
import { Note } from "@narthex/kit";
import { render } from "preact";
import { type Answer, type Mine, type MyDate, RotaApi } from "../ui-src/api";
import { Dates } from "../ui-src/dates";
import { refusalIn, timesIn } from "../ui-src/tools";
import { wordsOf } from "../ui-src/words";

/** The tools that a tile of Home gets, as far as this one uses them. */
interface TileTools {
	api(path: string, init?: RequestInit): Promise<Response>;
	refresh(listener: () => unknown): void;
	hide(): void;
	door(line: string, waits?: boolean): void;
	readonly locale: string;
	readonly moduleId: string;
	readonly signal: AbortSignal;
}

/** How many dates the card shows. Those that wait for a response are first. */
const most = 3;

/** My dates, with buttons to respond to requests. */
export default defineContribution({
	title: (locale: string) => wordsOf({ locale })("tabMine"),
	async render(container: HTMLElement, tools: TileTools) {
		const say = wordsOf(tools);
		const times = timesIn(say.language);
		const api = new RotaApi(tools);
		let mine: Mine | undefined;
		let problem = "";
		const show = () => {
			if (mine === undefined) return;
			const waiting = mine.dates.filter(({ status }) => status === "open");
			const settled = mine.dates.filter(({ status }) => status === "yes");
			const dates = [...waiting, ...settled].slice(0, most);
			if (dates.length === 0) return tools.hide();
			const [next] = settled;
			if (waiting.length > 0) tools.door(say("doorRequests", { count: waiting.length }), true);
			else if (next !== undefined) tools.door(times.moment(next.service.start));
			render(
				<div class="rota-tile d-stack" lang={say.language}>
					{problem !== "" && (
						<Note tone="bad" role="alert">
							<p>{problem}</p>
						</Note>
					)}
					<Dates say={say} times={times} dates={dates} answer={answer} />
					<a href={`#/m/${tools.moduleId}/mine`}>{say("allDates")}</a>
				</div>,
				container,
			);
		};
		const load = async () => {
			const result = await api.mine();
			if (tools.signal.aborted) return;
			if (!result.ok && result.why === "denied") return tools.hide();
			if (!result.ok) throw new Error(`my dates: ${result.why}`);
			mine = result.value;
			show();
		};
		const answer = async (date: MyDate, said: Answer) => {
			const result = await api.answer(date, said);
			if (tools.signal.aborted) return;
			problem = result.ok ? "" : refusalIn(say, result);
			await load().catch(() => undefined);
			show();
		};
		tools.refresh(load);
		await load();
		return () => render(null, container);
	},
});
