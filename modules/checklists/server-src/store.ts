import { db, people, refuse, type Statements } from "@narthex/server";
import type { Board, Check, List, Round } from "./board";

/** Each change is counted, runs after the one before, and is published after its commit. */
const changes = db.changes("UPDATE board SET rev = rev + 1 RETURNING rev");

interface RoundRow extends Omit<Round, "name" | "checks"> {
	readonly checks: readonly (Omit<Check, "name"> & { readonly by: string | null })[];
}

/** Times become texts as JSON has them. */
const selectRounds = `
	SELECT r.id, r.list_id AS "listId", r.key IS NULL AS "byHand", r.title, to_jsonb(r.due) AS due, r.person,
	       to_jsonb(r.finished_at) AS "finishedAt",
	       coalesce((SELECT jsonb_agg(jsonb_build_object('item', c.item_id, 'by', c.done_by, 'at', c.done_at))
	                 FROM checks c WHERE c.round_id = r.id), '[]') AS checks
	FROM rounds r`;

/** The rounds of yesterday, today and the coming week. */
const selectCurrent = `${selectRounds}
	WHERE r.due BETWEEN now() - interval '1 day' AND now() + interval '8 days'
	ORDER BY r.due, r.id
	LIMIT 80`;

/** Names of people are looked up when they are shown, so that a new name is seen everywhere. */
async function named(rows: readonly RoundRow[]): Promise<Round[]> {
	const ids = new Set(rows.flatMap(({ person, checks }) => [person, ...checks.map(({ by }) => by)]));
	ids.delete(null);
	const names = ids.size > 0 ? await people.names([...ids].slice(0, 200) as string[]) : {};
	const name = (id: string | null) => (id === null ? null : (names[id] ?? null));
	return rows.map(({ checks, ...row }) => ({
		...row,
		name: name(row.person),
		checks: checks.map(({ by, ...check }) => ({ ...check, name: name(by) })),
	}));
}

export const lists = (from: Statements) =>
	from.query<List>("SELECT id, title, moment, minutes, items, rev FROM lists ORDER BY title");

export const board = () =>
	db.tx(async (tx): Promise<Board> => {
		// The rev is read first, so that a later change is noticed.
		const head = await tx.one<Pick<Board, "rev" | "serverTime">>(
			`SELECT rev, to_jsonb(now()) AS "serverTime" FROM board`);
		const rounds = await named(await tx.query<RoundRow>(selectCurrent));
		return { rev: 0, serverTime: "", ...head, lists: await lists(tx), rounds };
	});

/** Marks a round, or the open rounds of a list, as finished or not: a round ends with its last step. */
export const settle = (tx: Statements, roundOrList: string) =>
	tx.exec(
		`UPDATE rounds r
		 SET finished_at = CASE WHEN l.items <> '[]' AND NOT EXISTS (
		         SELECT FROM jsonb_array_elements(l.items) i
		         WHERE NOT EXISTS (SELECT FROM checks c WHERE c.round_id = r.id AND c.item_id = (i->>'id')::uuid))
		     THEN coalesce(r.finished_at, now()) END
		 FROM lists l
		 WHERE l.id = r.list_id AND $1 IN (r.id, l.id) AND (r.finished_at IS NULL OR r.id = $1)`, roundOrList);

/** Runs a change of one round, or its beginning, and publishes the round. */
export const changeRound = (id: string, work: (tx: Statements) => Promise<unknown>) =>
	changes.write(async (tx, rev) => {
		await work(tx);
		await settle(tx, id);
		const [round] = await named(await tx.query<RoundRow>(`${selectRounds} WHERE r.id = $1`, id));
		if (round === undefined) throw refuse(404, "ROUND_NOT_FOUND");
		return { board: { rev, round } };
	});

/** Runs a change of several rounds or lists; readers ask for the board again. */
export const changeAll = (work: (tx: Statements) => Promise<unknown>) =>
	changes.write(async (tx, rev) => {
		await work(tx);
		return { board: { rev } };
	});
