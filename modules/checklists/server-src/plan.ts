import { PlatformError, capability, db, log } from "@narthex/server";
import type { List } from "./board";
import { changeAll, lists } from "./store";

/** A date of an event, as the calendar's capability gives it. */
interface Event {
	readonly id: string;
	readonly date: string;
	readonly title: string;
	/** On which it starts in the house. */
	readonly day: string;
	readonly startsAt: string;
	readonly endsAt: string;
	readonly allDay: boolean;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** The rounds that the events ask for. The house is opened once a day and closed once. */
function planned({ id: list, moment, minutes }: List, events: readonly Event[]) {
	if (moment === "hand") return [];
	const closes = moment === "close";
	const by = (closes ? minutes : -minutes) * minute;
	const rounds = events.map(({ id, date, title, day, startsAt, endsAt }) => ({
		list,
		key: moment === "event" ? `${id} ${date}` : day,
		title,
		due: new Date(Date.parse(closes ? endsAt : startsAt) + by).toISOString(),
	}));
	rounds.sort((a, b) => (closes ? a.due.localeCompare(b.due) : b.due.localeCompare(a.due)));
	return [...new Map(rounds.map((round) => [round.key, round])).values()]; // the last one of each key
}

/** What the plan changes: rounds that are missing or different, and those for which nothing asks any more. */
const differing = `
	SELECT r.id, p.key IS NULL AS gone
	FROM jsonb_to_recordset($1) AS p(list uuid, key text, title text, due timestamptz)
	FULL JOIN (SELECT * FROM rounds WHERE key IS NOT NULL) r ON r.list_id = p.list AND r.key = p.key
	WHERE r.id IS NULL OR r.finished_at IS NULL AND (r.title <> p.title OR r.due <> p.due OR
		p.key IS NULL AND r.due BETWEEN now() AND $2
		AND NOT EXISTS (SELECT FROM checks WHERE round_id = r.id))`;

/** Plans the rounds of the coming week. Without the calendar there are only those that somebody starts. */
export async function plan(): Promise<void> {
	const now = Date.now(); // an event of yesterday may end today
	const asked = { from: new Date(now - day).toISOString(), until: new Date(now + 7 * day).toISOString() };
	let events: Event[];
	try {
		({ events } = await capability("calendar.events").call<{ events: Event[] }>("between", asked));
	} catch (error) {
		if (!(error instanceof PlatformError)) throw error;
		if (error.code !== "CAPABILITY_ABSENT") await log.warn("the calendar did not answer", { code: error.code });
		return;
	}
	const timed = events.filter(({ allDay }) => !allDay);
	const rounds = db.json((await lists(db)).flatMap((list) => planned(list, timed)));
	if ((await db.one(`${differing} LIMIT 1`, rounds, asked.until)) === null) return;
	await changeAll(async (tx) => {
		const gone = `SELECT id FROM (${differing}) d WHERE gone`;
		await tx.exec(`DELETE FROM rounds WHERE id IN (${gone})`, rounds, asked.until);
		await tx.exec(
			`INSERT INTO rounds (list_id, key, title, due)
			 SELECT p.* FROM jsonb_to_recordset($1) AS p(list uuid, key text, title text, due timestamptz)
			 WHERE EXISTS (SELECT FROM lists WHERE id = p.list)
			 ON CONFLICT (list_id, key) DO UPDATE
			 SET title = excluded.title, due = excluded.due,
			     reminded_at = CASE WHEN excluded.due <= now() THEN rounds.reminded_at END
			 WHERE rounds.finished_at IS NULL`, rounds);
	});
}
