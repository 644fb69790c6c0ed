import { type Request, created, db, defineModule, refuse, shape } from "@narthex/server";
import { type List, type Me, moments } from "./board";
import { plan } from "./plan";
import { remind } from "./remind";
import { board, changeAll, changeRound, settle } from "./store";

const use = "checklists.use";
const edit = "checklists.edit";

/** The steps of a list. One that keeps its id is the same step, and stays done. */
const stepsOf = shape.list(shape.object({ id: shape.optional(shape.id()), text: shape.line(1, 200) }), 60);

const me = ({ principal }: Request): string => principal.userId ?? "";
const roundOf = (request: Request): string => request.id("id", "ROUND_NOT_FOUND");

export default defineModule((m) => {
	m.get("/board", use, board);
	m.channel("board", use, board);
	m.probe("/board");

	m.get("/me", use, async (request): Promise<Me> => {
		const last = await db.one<{ address: string }>(
			"SELECT address FROM rounds WHERE person = $1 AND address <> '' ORDER BY due DESC LIMIT 1", me(request));
		return { id: me(request), address: last?.address ?? "" };
	});

	m.put("/rounds/{id}/items/{item}", use, { maxBodyBytes: 256 }, async (request) => {
		const [id, item] = [roundOf(request), request.id("item", "ITEM_NOT_FOUND")];
		const { done } = await request.json({ done: shape.boolean() });
		await changeRound(id, async (tx) => {
			const list = await tx.one<List>(
				"SELECT items FROM lists JOIN rounds r ON list_id = lists.id WHERE r.id = $1", id);
			if (!list?.items.some((one) => one.id === item)) throw refuse(404, "ITEM_NOT_FOUND");
			if (!done) return tx.exec("DELETE FROM checks WHERE round_id = $1 AND item_id = $2", id, item);
			// Who was first has done it; and who does the first step of a round that nobody has, takes it.
			await tx.exec("INSERT INTO checks VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", id, item, me(request));
			return tx.exec("UPDATE rounds SET person = $2 WHERE id = $1 AND person IS NULL", id, me(request));
		});
	});

	const setPerson = "UPDATE rounds SET person = $2, address = $3 WHERE id = $1";
	m.put("/rounds/{id}/person", use, { maxBodyBytes: 1024 }, async (request) => {
		const { address } = await request.json({ address: shape.nullable(shape.line(3, 254)) });
		if (address !== null && !/^[^\s@]+@[^\s@]+$/.test(address)) throw refuse(400, "ADDRESS_INVALID");
		await changeRound(roundOf(request), (tx) => tx.exec(setPerson, roundOf(request), me(request), address));
	});
	m.delete("/rounds/{id}/person", use, (request) =>
		changeRound(roundOf(request), async (tx) => {
			const left = await tx.exec(`${setPerson} AND person = $4`, roundOf(request), null, null, me(request));
			if (left === 0) throw refuse(409, "ROUND_OF_ANOTHER");
		}));

	/** A round that was started by mistake. */
	m.delete("/rounds/{id}", use, (request) =>
		changeAll(async (tx) => {
			const gone = await tx.exec(
				`DELETE FROM rounds r WHERE id = $1 AND key IS NULL
				 AND NOT EXISTS (SELECT FROM checks WHERE round_id = r.id)`, roundOf(request));
			if (gone === 0) throw refuse(409, "ROUND_BEGUN");
		}));

	m.post("/lists/{id}/rounds", use, async (request) => {
		const [list, id] = [request.id("id", "LIST_NOT_FOUND"), crypto.randomUUID()];
		await changeRound(id, async (tx) => {
			const begun = await tx.exec(
				`INSERT INTO rounds (id, list_id, title, due, person)
				 SELECT $2, id, '', now() + make_interval(mins => minutes), $3 FROM lists WHERE id = $1`,
				list, id, me(request));
			if (begun === 0) throw refuse(404, "LIST_NOT_FOUND");
		});
		return created({ id });
	});

	m.collection<Omit<List, "items"> & { items: unknown }>({
		path: "/lists", read: use, write: edit, max: 30, only: ["read", "create", "edit", "remove"],
		fields: {
			title: "text, 1..60, key", moment: `text, oneof=${moments.join("|")}`,
			minutes: "integer, 0..720", items: "json",
		},
		check(list) {
			list.items = stepsOf(list.items, "items").map(({ id, text }) => ({ id: id ?? crypto.randomUUID(), text }));
		},
		async change(work) {
			await changeAll(async (tx) => {
				const { event, id } = await work(tx);
				if (event === "edited" && id !== null) await settle(tx, id);
			});
			await plan();
		},
	});

	m.every("plan", { minutes: 10 }, plan);
	m.every("remind", { minutes: 5 }, remind);
	m.every("forget", { days: 1 }, () => db.exec("DELETE FROM rounds WHERE due < now() - interval '60 days'"));

	m.personErased((userId) =>
		changeAll(async (tx) => {
			await tx.exec("UPDATE rounds SET person = NULL, address = NULL WHERE person = $1", userId);
			await tx.exec("UPDATE checks SET done_by = NULL WHERE done_by = $1", userId);
		}));
	m.personExport(async (userId) => {
		const taken = await db.query(
			`SELECT l.title AS list, r.title AS event, r.due, r.address FROM rounds r JOIN lists l ON l.id = r.list_id
			 WHERE r.person = $1 ORDER BY r.due`, userId);
		const done = await db.query(
			`SELECT l.title AS list, r.title AS event, c.done_at AS at,
			        (SELECT i->>'text' FROM jsonb_array_elements(l.items) i WHERE i->>'id' = c.item_id::text) AS step
			 FROM checks c JOIN rounds r ON r.id = c.round_id JOIN lists l ON l.id = r.list_id
			 WHERE c.done_by = $1 ORDER BY c.done_at`, userId);
		return taken.length + done.length > 0 ? { taken, done } : undefined;
	});
});
