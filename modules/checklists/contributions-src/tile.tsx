import { defineContribution, type Tile } from "@narthex/sdk";
import { render } from "preact";
import type { Board, Me } from "../server-src/board";
import { isLate, Rounds } from "../ui-src/rounds";
import { wordsOf } from "../ui-src/words";

/** How many rounds the card shows, and how far ahead. */
const most = 3;
const ahead = 24 * 3_600_000;

/** What is to be done today, first what this person has taken. The door is lit when some of that is late. */
export default defineContribution<Tile>({
	title: (locale) => wordsOf({ locale })("tile"),
	async render(container, { api, serverNow, locale, refresh, hide, door }) {
		const say = wordsOf({ locale });
		const show = async () => {
			const [answer, me] = await Promise.all([api("/board"), api("/me")]);
			if (answer.status === 403) return hide();
			if (!answer.ok || !me.ok) throw new Error(`GET /board: ${answer.status}, GET /me: ${me.status}`);
			const [board, { id }] = [(await answer.json()) as Board, (await me.json()) as Me];
			const now = serverNow();
			const due = board.rounds.filter((one) => !one.finishedAt && Date.parse(one.due) < now + ahead);
			const own = due.filter(({ person }) => person === id);
			const rounds = [...own, ...due.filter(({ person }) => person !== id)].slice(0, most);
			const [first] = rounds;
			if (first === undefined) return hide();
			const late = rounds.filter((round) => isLate(round, now));
			door(
				late.length > 0 ? say("late") : say("until", { time: say.when(first.due) }),
				late.some(({ person }) => person === id),
			);
			render(<Rounds {...{ say, board, rounds, now }} />, container);
		};
		refresh(show);
		await show();
		return () => render(null, container);
	},
});
