import { config, db, house, log, mail } from "@narthex/server";
import type { List } from "./board";

interface Late {
	readonly id: string;
	readonly address: string;
	readonly taken: boolean;
	readonly list: string;
	readonly title: string;
	readonly left: readonly string[];
}

/** Rounds that should be done and are not. After half a day a reminder helps nobody. */
const selectLate = `
	SELECT r.id, coalesce(r.address, CASE WHEN r.person IS NULL THEN $1::text END) AS address,
	       r.person IS NOT NULL AS taken, l.title AS list, r.title,
	       ARRAY(SELECT i->>'text' FROM jsonb_array_elements(l.items) WITH ORDINALITY AS n(i, at)
	             WHERE NOT EXISTS (SELECT FROM checks c WHERE c.round_id = r.id AND c.item_id = (i->>'id')::uuid)
	             ORDER BY at) AS left
	FROM rounds r JOIN lists l ON l.id = r.list_id
	WHERE r.due BETWEEN now() - interval '12 hours' AND now() AND r.finished_at IS NULL AND r.reminded_at IS NULL
	ORDER BY r.due
	LIMIT 20`;

/** It is marked first: a mail that arrives twice is worse than one that a crash keeps back. */
const mark = `UPDATE rounds SET reminded_at = now()
	WHERE id = $1 AND reminded_at IS NULL AND finished_at IS NULL`;

/** Results after which the same mail may arrive later. */
const passing = new Set(["CONNECTION_FAILED", "DEFERRED", "TIMEOUT", "TLS_FAILED", "AUTHENTICATION_FAILED"]);

/** Reminds who has taken a round of what is left to do, and somebody else if nobody has. */
export async function remind(): Promise<void> {
	const { language } = await house();
	for (const late of await db.query<Late>(selectLate, config.string("fallbackAddress") || null)) {
		if (late.address === null || (await db.exec(mark, late.id)) === 0) continue;
		const result = await mail.send({ to: [late.address], ...written(late, language) });
		if (passing.has(result)) await db.exec("UPDATE rounds SET reminded_at = NULL WHERE id = $1", late.id);
		if (result !== "SENT") await log.warn("a reminder was not sent", { result });
	}
}

const words = {
	en: {
		subject: (list: string) => `Not done yet: ${list}`,
		taken: "You have taken this list, and these steps are not ticked off:",
		free: "Nobody has taken this list, and these steps are not ticked off:",
		open: "Open the list:",
	},
	de: {
		subject: (list: string) => `Noch nicht erledigt: ${list}`,
		taken: "Sie haben diese Liste übernommen, und diese Schritte sind nicht abgehakt:",
		free: "Niemand hat diese Liste übernommen, und diese Schritte sind nicht abgehakt:",
		open: "Liste öffnen:",
	},
};

function written({ id, list, title, taken, left }: Late, language: "en" | "de") {
	const say = words[language];
	const dashboard = config.string("dashboardLink");
	const lines = [title === "" ? list : `${list} – ${title}`, "", taken ? say.taken : say.free, ""];
	lines.push(...left.map((step) => `- ${step}`));
	if (dashboard) lines.push("", say.open, `${dashboard.replace(/[#/]*$/, "")}/#/m/checklists/round/${id}`);
	return { subject: say.subject(list), text: lines.join("\n") };
}
