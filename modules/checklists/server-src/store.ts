import { db, people, refuse, type Statements } from "@narthex/server";
import type { Board, Check, List, Round } from "./board";

/** Each change is counted, runs after the one before, and is published after its commit. */
export const changes = db.changes("UPDATE board SET rev = rev + 1 RETURNING rev");

/** How many rounds the board has at most. */
const mostRounds = 80;

interface RoundRow extends Omit<Round, "due" | "finishedAt" | "name" | "checks"> {
	readonly due: Date;
	readonly finishedAt: Date | null;
	readonly checks: readonly { readonly item: string; readonly by: string | null; readonly at: string }[];
}

const selectRounds = `
	SELECT r.id, r.list_id AS "listId", r.key IS NULL AS "byHand", r.title, r.due, r.person,
	       r.finished_at AS "finishedAt",
	       coalesce((SELECT jsonb_agg(jsonb_build_object('item', c.item_id, 'by', c.done_by, 'at', c.done_at))
	                 FROM checks c WHERE c.round_id = r.id), '[]') AS checks
	FROM rounds r`;

/** The rounds of yesterday, today and the coming week. */
const selectCurrent = `${selectRounds}
	WHERE r.due BETWEEN now() - interval '1 day' AND now() + interval '8 days'
	ORDER BY r.due, r.id
	LIMIT ${mostRounds}`;

/** Names of people are looked up when they are shown, so that a new name is seen everywhere. */
async function named(rows: readonly RoundRow[]): Promise<Round[]> {
	const ids = new Set(rows.flatMap(({ person, checks }) => [person, ...checks.map(({ by }) => by)]));
	ids.delete(null);
	const names = ids.size > 0 ? await people.names([...ids].slice(0, 200) as string[]) : {};
	const name = (id: string | null) => (id === null ? null : (names[id] ?? null));
	return rows.map(({ due, finishedAt, checks, ...row }) => ({
		...row,
		due: due.toISOString(),
		finishedAt: finishedAt?.toISOString() ?? null,
		name: name(row.person),
		checks: checks.map(({ item, by, at }): Check => ({ item, name: name(by), at })),
	}));
}

export const lists = (from: Statements) =>
	from.query<List>("SELECT id, title, moment, minutes, items, rev FROM lists ORDER BY title");

export async function board(): Promise<Board> {
	return db.tx(async (tx) => {
		// The rev is read first, so that a later change is noticed.
		const head = await tx.one<{ rev: number; now: Date }>("SELECT rev, now() FROM board");
		const all = await lists(tx);
		const rounds = await named(await tx.query<RoundRow>(selectCurrent));
		return { rev: head?.rev ?? 0, serverTime: (head?.now ?? new Date()).toISOString(), lists: all, rounds };
	});
}

export async function round(from: Statements, id: string): Promise<Round> {
	const [found] = await named(await from.query<RoundRow>(`${selectRounds} WHERE r.id = $1`, id));
	if (found === undefined) throw refuse(404, "ROUND_NOT_FOUND");
	return found;
}

/** The rounds of which a step is not done: a round ends with its last step, and again begins without it. */
const unfinished = `
	(l.items = '[]' OR EXISTS (
		SELECT FROM jsonb_array_elements(l.items) i
		WHERE NOT EXISTS (SELECT FROM checks c WHERE c.round_id = r.id AND c.item_id = (i->>'id')::uuid)))`;

/** Marks a round, or the open rounds of a list, as finished or not. */
export const settle = (tx: Statements, where: "r.id" | "r.list_id", id: string) =>
	tx.exec(
		`UPDATE rounds r
		 SET finished_at = CASE WHEN ${unfinished} THEN NULL ELSE coalesce(r.finished_at, now()) END
		 FROM lists l
		 WHERE l.id = r.list_id AND ${where} = $1 AND (r.finished_at IS NULL OR ${where === "r.id"})`,
		id,
	);

/** Runs a change of one round, and publishes the round. */
export const changeRound = (id: string, work: (tx: Statements) => Promise<unknown>) =>
	changes.write(async (tx, rev) => {
		const found = await tx.one("SELECT id FROM rounds WHERE id = $1 FOR UPDATE", id);
		if (found === null) throw refuse(404, "ROUND_NOT_FOUND");
		await work(tx);
		await settle(tx, "r.id", id);
		return { board: { rev, round: await round(tx, id) } };
	});

/** Runs a change of several rounds or lists; readers ask for the board again. */
export const changeAll = (work: (tx: Statements, rev: number) => Promise<unknown>) =>
	changes.write(async (tx, rev) => {
		await work(tx, rev);
		return { board: { rev } };
	});
