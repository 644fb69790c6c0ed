// sdk:@narthex/server
var {
  PlatformError,
  Refusal,
  Response,
  can,
  capability,
  config,
  created,
  db,
  defineModule,
  house,
  invalid,
  links,
  log,
  mail,
  people,
  realtime,
  refuse,
  secret,
  shape,
  storage
} = globalThis.narthex;

// server-src/board.ts
var moments = ["open", "close", "event", "hand"];

// server-src/store.ts
var changes = db.changes("UPDATE board SET rev = rev + 1 RETURNING rev");
var mostRounds = 80;
var selectRounds = `
	SELECT r.id, r.list_id AS "listId", r.key IS NULL AS "byHand", r.title, r.due, r.person,
	       r.finished_at AS "finishedAt",
	       coalesce((SELECT jsonb_agg(jsonb_build_object('item', c.item_id, 'by', c.done_by, 'at', c.done_at))
	                 FROM checks c WHERE c.round_id = r.id), '[]') AS checks
	FROM rounds r`;
var selectCurrent = `${selectRounds}
	WHERE r.due BETWEEN now() - interval '1 day' AND now() + interval '8 days'
	ORDER BY r.due, r.id
	LIMIT ${mostRounds}`;
async function named(rows) {
  const ids = new Set(rows.flatMap(({ person, checks }) => [person, ...checks.map(({ by }) => by)]));
  ids.delete(null);
  const names = ids.size > 0 ? await people.names([...ids].slice(0, 200)) : {};
  const name = (id) => id === null ? null : names[id] ?? null;
  return rows.map(({ due, finishedAt, checks, ...row }) => ({
    ...row,
    due: due.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    name: name(row.person),
    checks: checks.map(({ item, by, at }) => ({ item, name: name(by), at }))
  }));
}
var lists = (from) => from.query("SELECT id, title, moment, minutes, items, rev FROM lists ORDER BY title");
async function board() {
  return db.tx(async (tx) => {
    const head = await tx.one("SELECT rev, now() FROM board");
    const all = await lists(tx);
    const rounds = await named(await tx.query(selectCurrent));
    return { rev: head?.rev ?? 0, serverTime: (head?.now ?? /* @__PURE__ */ new Date()).toISOString(), lists: all, rounds };
  });
}
async function round(from, id) {
  const [found] = await named(await from.query(`${selectRounds} WHERE r.id = $1`, id));
  if (found === void 0) throw refuse(404, "ROUND_NOT_FOUND");
  return found;
}
var unfinished = `
	(l.items = '[]' OR EXISTS (
		SELECT FROM jsonb_array_elements(l.items) i
		WHERE NOT EXISTS (SELECT FROM checks c WHERE c.round_id = r.id AND c.item_id = (i->>'id')::uuid)))`;
var settle = (tx, where, id) => tx.exec(
  `UPDATE rounds r
		 SET finished_at = CASE WHEN ${unfinished} THEN NULL ELSE coalesce(r.finished_at, now()) END
		 FROM lists l
		 WHERE l.id = r.list_id AND ${where} = $1 AND (r.finished_at IS NULL OR ${where === "r.id"})`,
  id
);
var changeRound = (id, work) => changes.write(async (tx, rev) => {
  const found = await tx.one("SELECT id FROM rounds WHERE id = $1 FOR UPDATE", id);
  if (found === null) throw refuse(404, "ROUND_NOT_FOUND");
  await work(tx);
  await settle(tx, "r.id", id);
  return { board: { rev, round: await round(tx, id) } };
});
var changeAll = (work) => changes.write(async (tx, rev) => {
  await work(tx, rev);
  return { board: { rev } };
});

// server-src/plan.ts
var minute = 6e4;
var day = 24 * 60 * minute;
var ahead = 7 * day;
function planned({ id: list, moment, minutes }, events) {
  const round2 = (key, title, at, by) => ({ list, key, title, due: new Date(Date.parse(at) + by * minute).toISOString() });
  if (moment === "hand") return [];
  if (moment === "event") {
    return events.map(({ id, date, title, startsAt }) => round2(`${id} ${date}`, title, startsAt, -minutes));
  }
  return [...new Set(events.map(({ day: day2 }) => day2))].flatMap((day2) => {
    const [first] = events.filter((event) => event.day === day2).sort((a, b) => moment === "open" ? a.startsAt.localeCompare(b.startsAt) : b.endsAt.localeCompare(a.endsAt));
    if (first === void 0) return [];
    const { title, startsAt, endsAt } = first;
    return [moment === "open" ? round2(day2, title, startsAt, -minutes) : round2(day2, title, endsAt, minutes)];
  });
}
var differing = `
	SELECT r.id, p.key IS NULL AS gone
	FROM jsonb_to_recordset($1) AS p(list uuid, key text, title text, due timestamptz)
	FULL JOIN (SELECT * FROM rounds WHERE key IS NOT NULL) r ON r.list_id = p.list AND r.key = p.key
	WHERE r.id IS NULL OR r.finished_at IS NULL AND (r.title <> p.title OR r.due <> p.due OR
		p.key IS NULL AND r.due BETWEEN now() AND $2
		AND NOT EXISTS (SELECT FROM checks WHERE round_id = r.id))`;
async function plan() {
  const now = Date.now();
  const asked = { from: new Date(now - day).toISOString(), until: new Date(now + ahead).toISOString() };
  let events;
  try {
    ({ events } = await capability("calendar.events").call("between", asked));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code !== "CAPABILITY_ABSENT") await log.warn("the calendar did not answer", { code: error.code });
    return;
  }
  const timed = events.filter(({ allDay }) => !allDay);
  const rounds = db.json((await lists(db)).flatMap((list) => planned(list, timed)));
  if (await db.one(`${differing} LIMIT 1`, rounds, asked.until) === null) return;
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
			 WHERE rounds.finished_at IS NULL`,
      rounds
    );
  });
}

// server-src/remind.ts
var selectLate = `
	SELECT r.id, coalesce(r.address, CASE WHEN r.person IS NULL THEN $1::text END) AS address,
	       r.person IS NOT NULL AS taken, l.title AS list, r.title,
	       ARRAY(SELECT i->>'text' FROM jsonb_array_elements(l.items) WITH ORDINALITY AS n(i, at)
	             WHERE NOT EXISTS (SELECT FROM checks c WHERE c.round_id = r.id AND c.item_id = (i->>'id')::uuid)
	             ORDER BY at) AS left
	FROM rounds r JOIN lists l ON l.id = r.list_id
	WHERE r.due BETWEEN now() - interval '12 hours' AND now() AND r.finished_at IS NULL AND r.reminded_at IS NULL
	ORDER BY r.due
	LIMIT 20`;
var passing = /* @__PURE__ */ new Set(["CONNECTION_FAILED", "DEFERRED", "TIMEOUT", "TLS_FAILED", "AUTHENTICATION_FAILED"]);
async function remind() {
  const { language } = await house();
  for (const late of await db.query(selectLate, config.string("fallbackAddress") || null)) {
    if (late.address === null) continue;
    const marked = await db.exec(
      "UPDATE rounds SET reminded_at = now() WHERE id = $1 AND reminded_at IS NULL AND finished_at IS NULL",
      late.id
    );
    if (marked === 0) continue;
    const result = await mail.send({ to: [late.address], ...written(late, language) });
    if (passing.has(result)) await db.exec("UPDATE rounds SET reminded_at = NULL WHERE id = $1", late.id);
    if (result !== "SENT") await log.warn("a reminder was not sent", { result });
  }
}
var words = {
  en: {
    subject: (list) => `Not done yet: ${list}`,
    taken: "You have taken this list, and these steps are not ticked off:",
    free: "Nobody has taken this list, and these steps are not ticked off:",
    open: "Open the list:"
  },
  de: {
    subject: (list) => `Noch nicht erledigt: ${list}`,
    taken: "Sie haben diese Liste übernommen, und diese Schritte sind nicht abgehakt:",
    free: "Niemand hat diese Liste übernommen, und diese Schritte sind nicht abgehakt:",
    open: "Liste öffnen:"
  }
};
function written({ id, list, title, taken, left }, language) {
  const say = words[language];
  const dashboard = config.string("dashboardLink");
  const lines = [title === "" ? list : `${list} – ${title}`, "", taken ? say.taken : say.free, ""];
  lines.push(...left.map((step) => `- ${step}`));
  if (dashboard) lines.push("", say.open, `${dashboard.replace(/[#/]*$/, "")}/#/m/checklists/round/${id}`);
  return { subject: say.subject(list), text: lines.join("\n") };
}

// server-src/index.ts
var use = "checklists.use";
var edit = "checklists.edit";
var stepsOf = shape.list(shape.object({ id: shape.optional(shape.id()), text: shape.line(1, 200) }), 60);
var me = ({ principal }) => principal.userId ?? "";
var roundOf = (request) => request.id("id", "ROUND_NOT_FOUND");
var index_default = defineModule((m) => {
  m.get("/board", use, board);
  m.channel("board", use, board);
  m.probe("/board");
  m.get("/me", use, async (request) => {
    const last = await db.one(
      "SELECT address FROM rounds WHERE person = $1 AND address <> '' ORDER BY due DESC LIMIT 1",
      me(request)
    );
    return { id: me(request), address: last?.address ?? "" };
  });
  m.put("/rounds/{id}/items/{item}", use, { maxBodyBytes: 256 }, async (request) => {
    const [id, item] = [roundOf(request), request.id("item", "ITEM_NOT_FOUND")];
    const { done } = await request.json({ done: shape.boolean() });
    await changeRound(id, async (tx) => {
      const list = await tx.one(
        "SELECT items FROM lists JOIN rounds r ON list_id = lists.id WHERE r.id = $1",
        id
      );
      if (!list?.items.some((one) => one.id === item)) throw refuse(404, "ITEM_NOT_FOUND");
      if (!done) return tx.exec("DELETE FROM checks WHERE round_id = $1 AND item_id = $2", id, item);
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
  m.delete("/rounds/{id}/person", use, (request) => changeRound(roundOf(request), async (tx) => {
    const left = await tx.exec(`${setPerson} AND person = $4`, roundOf(request), null, null, me(request));
    if (left === 0) throw refuse(409, "ROUND_OF_ANOTHER");
  }));
  m.delete("/rounds/{id}", use, (request) => changeAll(async (tx) => {
    const gone = await tx.exec(
      `DELETE FROM rounds r WHERE id = $1 AND key IS NULL
				 AND NOT EXISTS (SELECT FROM checks WHERE round_id = r.id)`,
      roundOf(request)
    );
    if (gone === 0) throw refuse(409, "ROUND_BEGUN");
  }));
  m.post("/lists/{id}/rounds", use, async (request) => {
    const id = request.id("id", "LIST_NOT_FOUND");
    let begun = null;
    await changeAll(async (tx) => {
      begun = await tx.one(
        `INSERT INTO rounds (list_id, title, due, person)
				 SELECT id, '', now() + make_interval(mins => minutes), $2 FROM lists WHERE id = $1
				 RETURNING id`,
        id,
        me(request)
      );
      if (begun === null) throw refuse(404, "LIST_NOT_FOUND");
    });
    return created(begun);
  });
  m.collection({
    path: "/lists",
    read: use,
    write: edit,
    max: 30,
    only: ["create", "edit", "remove"],
    fields: {
      title: "text, 1..60, key",
      moment: `text, oneof=${moments.join("|")}`,
      minutes: "integer, 0..720",
      items: "json"
    },
    check(list) {
      list.items = stepsOf(list.items, "items").map(({ id, text }) => ({ id: id ?? crypto.randomUUID(), text }));
    },
    async change(work) {
      await changeAll(async (tx) => {
        const { event, id } = await work(tx);
        if (event === "edited" && id !== null) await settle(tx, "r.list_id", id);
      });
      await plan();
    }
  });
  m.every("plan", { minutes: 10 }, plan);
  m.every("remind", { minutes: 5 }, remind);
  m.every("forget", { days: 1 }, () => db.exec("DELETE FROM rounds WHERE due < now() - interval '60 days'"));
  m.personErased((userId) => changeAll(async (tx) => {
    await tx.exec("UPDATE rounds SET person = NULL, address = NULL WHERE person = $1", userId);
    await tx.exec("UPDATE checks SET done_by = NULL WHERE done_by = $1", userId);
  }));
  m.personExport(async (userId) => {
    const taken = await db.query(
      `SELECT l.title AS list, r.title AS event, r.due, r.address FROM rounds r JOIN lists l ON l.id = r.list_id
			 WHERE r.person = $1 ORDER BY r.due`,
      userId
    );
    const done = await db.query(
      `SELECT l.title AS list, r.title AS event, c.done_at AS at,
			        (SELECT i->>'text' FROM jsonb_array_elements(l.items) i WHERE i->>'id' = c.item_id::text) AS step
			 FROM checks c JOIN rounds r ON r.id = c.round_id JOIN lists l ON l.id = r.list_id
			 WHERE c.done_by = $1 ORDER BY c.done_at`,
      userId
    );
    return taken.length + done.length > 0 ? { taken, done } : void 0;
  });
});
export {
  index_default as default
};
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsic2RrOkBuYXJ0aGV4L3NlcnZlciIsICIuLi9zZXJ2ZXItc3JjL2JvYXJkLnRzIiwgIi4uL3NlcnZlci1zcmMvc3RvcmUudHMiLCAiLi4vc2VydmVyLXNyYy9wbGFuLnRzIiwgIi4uL3NlcnZlci1zcmMvcmVtaW5kLnRzIiwgIi4uL3NlcnZlci1zcmMvaW5kZXgudHMiXSwKICAibWFwcGluZ3MiOiAiO0FBRU8sSUFBTTtBQUFBLEVBQ1o7QUFBQSxFQUFlO0FBQUEsRUFBUztBQUFBLEVBQVU7QUFBQSxFQUFLO0FBQUEsRUFBWTtBQUFBLEVBQVE7QUFBQSxFQUFTO0FBQUEsRUFBSTtBQUFBLEVBQWM7QUFBQSxFQUFPO0FBQUEsRUFDN0Y7QUFBQSxFQUFPO0FBQUEsRUFBSztBQUFBLEVBQU07QUFBQSxFQUFRO0FBQUEsRUFBVTtBQUFBLEVBQVE7QUFBQSxFQUFRO0FBQUEsRUFBTztBQUM1RCxJQUFJLFdBQVc7OztBQ0RSLElBQU0sVUFBVSxDQUFDLFFBQVEsU0FBUyxTQUFTLE1BQU07OztBQ0FqRCxJQUFNLFVBQVUsR0FBRyxRQUFRLDhDQUE4QztBQUdoRixJQUFNLGFBQWE7QUFRbkIsSUFBTSxlQUFlO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQVFyQixJQUFNLGdCQUFnQixHQUFHLFlBQVk7QUFBQTtBQUFBO0FBQUEsU0FHNUIsVUFBVTtBQUduQixlQUFlLE1BQU0sTUFBNkM7QUFDakUsUUFBTSxNQUFNLElBQUksSUFBSSxLQUFLLFFBQVEsQ0FBQyxFQUFFLFFBQVEsT0FBTyxNQUFNLENBQUMsUUFBUSxHQUFHLE9BQU8sSUFBSSxDQUFDLEVBQUUsR0FBRyxNQUFNLEVBQUUsQ0FBQyxDQUFDLENBQUM7QUFDakcsTUFBSSxPQUFPLElBQUk7QUFDZixRQUFNLFFBQVEsSUFBSSxPQUFPLElBQUksTUFBTSxPQUFPLE1BQU0sQ0FBQyxHQUFHLEdBQUcsRUFBRSxNQUFNLEdBQUcsR0FBRyxDQUFhLElBQUksQ0FBQztBQUN2RixRQUFNLE9BQU8sQ0FBQyxPQUF1QixPQUFPLE9BQU8sT0FBUSxNQUFNLEVBQUUsS0FBSztBQUN4RSxTQUFPLEtBQUssSUFBSSxDQUFDLEVBQUUsS0FBSyxZQUFZLFFBQVEsR0FBRyxJQUFJLE9BQU87QUFBQSxJQUN6RCxHQUFHO0FBQUEsSUFDSCxLQUFLLElBQUksWUFBWTtBQUFBLElBQ3JCLFlBQVksWUFBWSxZQUFZLEtBQUs7QUFBQSxJQUN6QyxNQUFNLEtBQUssSUFBSSxNQUFNO0FBQUEsSUFDckIsUUFBUSxPQUFPLElBQUksQ0FBQyxFQUFFLE1BQU0sSUFBSSxHQUFHLE9BQWMsRUFBRSxNQUFNLE1BQU0sS0FBSyxFQUFFLEdBQUcsR0FBRyxFQUFFO0FBQUEsRUFDL0UsRUFBRTtBQUNIO0FBRU8sSUFBTSxRQUFRLENBQUMsU0FDckIsS0FBSyxNQUFZLHlFQUF5RTtBQUUzRixlQUFzQixRQUF3QjtBQUM3QyxTQUFPLEdBQUcsR0FBRyxPQUFPLE9BQU87QUFFMUIsVUFBTSxPQUFPLE1BQU0sR0FBRyxJQUFnQyw4QkFBOEI7QUFDcEYsVUFBTSxNQUFNLE1BQU0sTUFBTSxFQUFFO0FBQzFCLFVBQU0sU0FBUyxNQUFNLE1BQU0sTUFBTSxHQUFHLE1BQWdCLGFBQWEsQ0FBQztBQUNsRSxXQUFPLEVBQUUsS0FBSyxNQUFNLE9BQU8sR0FBRyxhQUFhLE1BQU0sT0FBTyxvQkFBSSxLQUFLLEdBQUcsWUFBWSxHQUFHLE9BQU8sS0FBSyxPQUFPO0FBQUEsRUFDdkcsQ0FBQztBQUNGO0FBRUEsZUFBc0IsTUFBTSxNQUFrQixJQUE0QjtBQUN6RSxRQUFNLENBQUMsS0FBSyxJQUFJLE1BQU0sTUFBTSxNQUFNLEtBQUssTUFBZ0IsR0FBRyxZQUFZLG9CQUFvQixFQUFFLENBQUM7QUFDN0YsTUFBSSxVQUFVLE9BQVcsT0FBTSxPQUFPLEtBQUssaUJBQWlCO0FBQzVELFNBQU87QUFDUjtBQUdBLElBQU0sYUFBYTtBQUFBO0FBQUE7QUFBQTtBQU1aLElBQU0sU0FBUyxDQUFDLElBQWdCLE9BQTZCLE9BQ25FLEdBQUc7QUFBQSxFQUNGO0FBQUEsaUNBQytCLFVBQVU7QUFBQTtBQUFBLGdDQUVYLEtBQUssdUNBQXVDLFVBQVUsTUFBTTtBQUFBLEVBQzFGO0FBQ0Q7QUFHTSxJQUFNLGNBQWMsQ0FBQyxJQUFZLFNBQ3ZDLFFBQVEsTUFBTSxPQUFPLElBQUksUUFBUTtBQUNoQyxRQUFNLFFBQVEsTUFBTSxHQUFHLElBQUksa0RBQWtELEVBQUU7QUFDL0UsTUFBSSxVQUFVLEtBQU0sT0FBTSxPQUFPLEtBQUssaUJBQWlCO0FBQ3ZELFFBQU0sS0FBSyxFQUFFO0FBQ2IsUUFBTSxPQUFPLElBQUksUUFBUSxFQUFFO0FBQzNCLFNBQU8sRUFBRSxPQUFPLEVBQUUsS0FBSyxPQUFPLE1BQU0sTUFBTSxJQUFJLEVBQUUsRUFBRSxFQUFFO0FBQ3JELENBQUM7QUFHSyxJQUFNLFlBQVksQ0FBQyxTQUN6QixRQUFRLE1BQU0sT0FBTyxJQUFJLFFBQVE7QUFDaEMsUUFBTSxLQUFLLElBQUksR0FBRztBQUNsQixTQUFPLEVBQUUsT0FBTyxFQUFFLElBQUksRUFBRTtBQUN6QixDQUFDOzs7QUNyRUYsSUFBTSxTQUFTO0FBQ2YsSUFBTSxNQUFNLEtBQUssS0FBSztBQUN0QixJQUFNLFFBQVEsSUFBSTtBQUdsQixTQUFTLFFBQVEsRUFBRSxJQUFJLE1BQU0sUUFBUSxRQUFRLEdBQVMsUUFBcUM7QUFDMUYsUUFBTUEsU0FBUSxDQUFDLEtBQWEsT0FBZSxJQUFZLFFBQ3JELEVBQUUsTUFBTSxLQUFLLE9BQU8sS0FBSyxJQUFJLEtBQUssS0FBSyxNQUFNLEVBQUUsSUFBSSxLQUFLLE1BQU0sRUFBRSxZQUFZLEVBQUU7QUFDaEYsTUFBSSxXQUFXLE9BQVEsUUFBTyxDQUFDO0FBQy9CLE1BQUksV0FBVyxTQUFTO0FBQ3ZCLFdBQU8sT0FBTyxJQUFJLENBQUMsRUFBRSxJQUFJLE1BQU0sT0FBTyxTQUFTLE1BQU1BLE9BQU0sR0FBRyxFQUFFLElBQUksSUFBSSxJQUFJLE9BQU8sVUFBVSxDQUFDLE9BQU8sQ0FBQztBQUFBLEVBQ3ZHO0FBQ0EsU0FBTyxDQUFDLEdBQUcsSUFBSSxJQUFJLE9BQU8sSUFBSSxDQUFDLEVBQUUsS0FBQUMsS0FBSSxNQUFNQSxJQUFHLENBQUMsQ0FBQyxFQUFFLFFBQVEsQ0FBQ0EsU0FBUTtBQUNsRSxVQUFNLENBQUMsS0FBSyxJQUFJLE9BQU8sT0FBTyxDQUFDLFVBQVUsTUFBTSxRQUFRQSxJQUFHLEVBQUUsS0FBSyxDQUFDLEdBQUcsTUFDcEUsV0FBVyxTQUFTLEVBQUUsU0FBUyxjQUFjLEVBQUUsUUFBUSxJQUFJLEVBQUUsT0FBTyxjQUFjLEVBQUUsTUFBTSxDQUFDO0FBQzVGLFFBQUksVUFBVSxPQUFXLFFBQU8sQ0FBQztBQUNqQyxVQUFNLEVBQUUsT0FBTyxVQUFVLE9BQU8sSUFBSTtBQUNwQyxXQUFPLENBQUMsV0FBVyxTQUFTRCxPQUFNQyxNQUFLLE9BQU8sVUFBVSxDQUFDLE9BQU8sSUFBSUQsT0FBTUMsTUFBSyxPQUFPLFFBQVEsT0FBTyxDQUFDO0FBQUEsRUFDdkcsQ0FBQztBQUNGO0FBR0EsSUFBTSxZQUFZO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBU2xCLGVBQXNCLE9BQXNCO0FBQzNDLFFBQU0sTUFBTSxLQUFLLElBQUk7QUFDckIsUUFBTSxRQUFRLEVBQUUsTUFBTSxJQUFJLEtBQUssTUFBTSxHQUFHLEVBQUUsWUFBWSxHQUFHLE9BQU8sSUFBSSxLQUFLLE1BQU0sS0FBSyxFQUFFLFlBQVksRUFBRTtBQUNwRyxNQUFJO0FBQ0osTUFBSTtBQUNILEtBQUMsRUFBRSxPQUFPLElBQUksTUFBTSxXQUFXLGlCQUFpQixFQUFFLEtBQTBCLFdBQVcsS0FBSztBQUFBLEVBQzdGLFNBQVMsT0FBTztBQUNmLFFBQUksRUFBRSxpQkFBaUIsZUFBZ0IsT0FBTTtBQUM3QyxRQUFJLE1BQU0sU0FBUyxvQkFBcUIsT0FBTSxJQUFJLEtBQUssK0JBQStCLEVBQUUsTUFBTSxNQUFNLEtBQUssQ0FBQztBQUMxRztBQUFBLEVBQ0Q7QUFDQSxRQUFNLFFBQVEsT0FBTyxPQUFPLENBQUMsRUFBRSxPQUFPLE1BQU0sQ0FBQyxNQUFNO0FBQ25ELFFBQU0sU0FBUyxHQUFHLE1BQU0sTUFBTSxNQUFNLEVBQUUsR0FBRyxRQUFRLENBQUMsU0FBUyxRQUFRLE1BQU0sS0FBSyxDQUFDLENBQUM7QUFDaEYsTUFBSyxNQUFNLEdBQUcsSUFBSSxHQUFHLFNBQVMsWUFBWSxRQUFRLE1BQU0sS0FBSyxNQUFPLEtBQU07QUFDMUUsUUFBTSxVQUFVLE9BQU8sT0FBTztBQUM3QixVQUFNLE9BQU8sbUJBQW1CLFNBQVM7QUFDekMsVUFBTSxHQUFHLEtBQUssbUNBQW1DLElBQUksS0FBSyxRQUFRLE1BQU0sS0FBSztBQUM3RSxVQUFNLEdBQUc7QUFBQSxNQUNSO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUEsTUFNb0M7QUFBQSxJQUFNO0FBQUEsRUFDNUMsQ0FBQztBQUNGOzs7QUNwRUEsSUFBTSxhQUFhO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBWW5CLElBQU0sVUFBVSxvQkFBSSxJQUFJLENBQUMscUJBQXFCLFlBQVksV0FBVyxjQUFjLHVCQUF1QixDQUFDO0FBRzNHLGVBQXNCLFNBQXdCO0FBQzdDLFFBQU0sRUFBRSxTQUFTLElBQUksTUFBTSxNQUFNO0FBQ2pDLGFBQVcsUUFBUSxNQUFNLEdBQUcsTUFBWSxZQUFZLE9BQU8sT0FBTyxpQkFBaUIsS0FBSyxJQUFJLEdBQUc7QUFDOUYsUUFBSSxLQUFLLFlBQVksS0FBTTtBQUUzQixVQUFNLFNBQVMsTUFBTSxHQUFHO0FBQUEsTUFDdkI7QUFBQSxNQUNBLEtBQUs7QUFBQSxJQUNOO0FBQ0EsUUFBSSxXQUFXLEVBQUc7QUFDbEIsVUFBTSxTQUFTLE1BQU0sS0FBSyxLQUFLLEVBQUUsSUFBSSxDQUFDLEtBQUssT0FBTyxHQUFHLEdBQUcsUUFBUSxNQUFNLFFBQVEsRUFBRSxDQUFDO0FBQ2pGLFFBQUksUUFBUSxJQUFJLE1BQU0sRUFBRyxPQUFNLEdBQUcsS0FBSyxzREFBc0QsS0FBSyxFQUFFO0FBQ3BHLFFBQUksV0FBVyxPQUFRLE9BQU0sSUFBSSxLQUFLLDJCQUEyQixFQUFFLE9BQU8sQ0FBQztBQUFBLEVBQzVFO0FBQ0Q7QUFFQSxJQUFNLFFBQVE7QUFBQSxFQUNiLElBQUk7QUFBQSxJQUNILFNBQVMsQ0FBQyxTQUFpQixpQkFBaUIsSUFBSTtBQUFBLElBQ2hELE9BQU87QUFBQSxJQUNQLE1BQU07QUFBQSxJQUNOLE1BQU07QUFBQSxFQUNQO0FBQUEsRUFDQSxJQUFJO0FBQUEsSUFDSCxTQUFTLENBQUMsU0FBaUIsd0JBQXdCLElBQUk7QUFBQSxJQUN2RCxPQUFPO0FBQUEsSUFDUCxNQUFNO0FBQUEsSUFDTixNQUFNO0FBQUEsRUFDUDtBQUNEO0FBRUEsU0FBUyxRQUFRLEVBQUUsSUFBSSxNQUFNLE9BQU8sT0FBTyxLQUFLLEdBQVMsVUFBdUI7QUFDL0UsUUFBTSxNQUFNLE1BQU0sUUFBUTtBQUMxQixRQUFNLFlBQVksT0FBTyxPQUFPLGVBQWU7QUFDL0MsUUFBTSxRQUFRLENBQUMsVUFBVSxLQUFLLE9BQU8sR0FBRyxJQUFJLE1BQU0sS0FBSyxJQUFJLElBQUksUUFBUSxJQUFJLFFBQVEsSUFBSSxNQUFNLEVBQUU7QUFDL0YsUUFBTSxLQUFLLEdBQUcsS0FBSyxJQUFJLENBQUMsU0FBUyxLQUFLLElBQUksRUFBRSxDQUFDO0FBQzdDLE1BQUksVUFBVyxPQUFNLEtBQUssSUFBSSxJQUFJLE1BQU0sR0FBRyxVQUFVLFFBQVEsVUFBVSxFQUFFLENBQUMseUJBQXlCLEVBQUUsRUFBRTtBQUN2RyxTQUFPLEVBQUUsU0FBUyxJQUFJLFFBQVEsSUFBSSxHQUFHLE1BQU0sTUFBTSxLQUFLLElBQUksRUFBRTtBQUM3RDs7O0FDNURBLElBQU0sTUFBTTtBQUNaLElBQU0sT0FBTztBQUdiLElBQU0sVUFBVSxNQUFNLEtBQUssTUFBTSxPQUFPLEVBQUUsSUFBSSxNQUFNLFNBQVMsTUFBTSxHQUFHLENBQUMsR0FBRyxNQUFNLE1BQU0sS0FBSyxHQUFHLEdBQUcsRUFBRSxDQUFDLEdBQUcsRUFBRTtBQUV6RyxJQUFNLEtBQUssQ0FBQyxFQUFFLFVBQVUsTUFBdUIsVUFBVSxVQUFVO0FBQ25FLElBQU0sVUFBVSxDQUFDLFlBQTZCLFFBQVEsR0FBRyxNQUFNLGlCQUFpQjtBQUVoRixJQUFPLGdCQUFRLGFBQWEsQ0FBQyxNQUFNO0FBQ2xDLElBQUUsSUFBSSxVQUFVLEtBQUssS0FBSztBQUMxQixJQUFFLFFBQVEsU0FBUyxLQUFLLEtBQUs7QUFDN0IsSUFBRSxNQUFNLFFBQVE7QUFHaEIsSUFBRSxJQUFJLE9BQU8sS0FBSyxPQUFPLFlBQVk7QUFDcEMsVUFBTSxPQUFPLE1BQU0sR0FBRztBQUFBLE1BQ3JCO0FBQUEsTUFBNEYsR0FBRyxPQUFPO0FBQUEsSUFBQztBQUN4RyxXQUFPLEVBQUUsSUFBSSxHQUFHLE9BQU8sR0FBRyxTQUFTLE1BQU0sV0FBVyxHQUFHO0FBQUEsRUFDeEQsQ0FBQztBQUVELElBQUUsSUFBSSw2QkFBNkIsS0FBSyxFQUFFLGNBQWMsSUFBSSxHQUFHLE9BQU8sWUFBWTtBQUNqRixVQUFNLENBQUMsSUFBSSxJQUFJLElBQUksQ0FBQyxRQUFRLE9BQU8sR0FBRyxRQUFRLEdBQUcsUUFBUSxnQkFBZ0IsQ0FBQztBQUMxRSxVQUFNLEVBQUUsS0FBSyxJQUFJLE1BQU0sUUFBUSxLQUFLLEVBQUUsTUFBTSxNQUFNLFFBQVEsRUFBRSxDQUFDO0FBQzdELFVBQU0sWUFBWSxJQUFJLE9BQU8sT0FBTztBQUNuQyxZQUFNLE9BQU8sTUFBTSxHQUFHO0FBQUEsUUFDckI7QUFBQSxRQUErRTtBQUFBLE1BQUU7QUFDbEYsVUFBSSxDQUFDLE1BQU0sTUFBTSxLQUFLLENBQUMsUUFBUSxJQUFJLE9BQU8sSUFBSSxFQUFHLE9BQU0sT0FBTyxLQUFLLGdCQUFnQjtBQUNuRixVQUFJLENBQUMsS0FBTSxRQUFPLEdBQUcsS0FBSywyREFBMkQsSUFBSSxJQUFJO0FBRTdGLFlBQU0sR0FBRyxLQUFLLGlFQUFpRSxJQUFJLE1BQU0sR0FBRyxPQUFPLENBQUM7QUFDcEcsYUFBTyxHQUFHLEtBQUssa0VBQWtFLElBQUksR0FBRyxPQUFPLENBQUM7QUFBQSxJQUNqRyxDQUFDO0FBQUEsRUFDRixDQUFDO0FBRUQsUUFBTSxZQUFZO0FBQ2xCLElBQUUsSUFBSSx1QkFBdUIsS0FBSyxFQUFFLGNBQWMsS0FBSyxHQUFHLE9BQU8sWUFBWTtBQUM1RSxVQUFNLEVBQUUsUUFBUSxJQUFJLE1BQU0sUUFBUSxLQUFLLEVBQUUsU0FBUyxNQUFNLFNBQVMsTUFBTSxLQUFLLEdBQUcsR0FBRyxDQUFDLEVBQUUsQ0FBQztBQUN0RixRQUFJLFlBQVksUUFBUSxDQUFDLG9CQUFvQixLQUFLLE9BQU8sRUFBRyxPQUFNLE9BQU8sS0FBSyxpQkFBaUI7QUFDL0YsVUFBTSxZQUFZLFFBQVEsT0FBTyxHQUFHLENBQUMsT0FBTyxHQUFHLEtBQUssV0FBVyxRQUFRLE9BQU8sR0FBRyxHQUFHLE9BQU8sR0FBRyxPQUFPLENBQUM7QUFBQSxFQUN2RyxDQUFDO0FBQ0QsSUFBRSxPQUFPLHVCQUF1QixLQUFLLENBQUMsWUFDckMsWUFBWSxRQUFRLE9BQU8sR0FBRyxPQUFPLE9BQU87QUFDM0MsVUFBTSxPQUFPLE1BQU0sR0FBRyxLQUFLLEdBQUcsU0FBUyxvQkFBb0IsUUFBUSxPQUFPLEdBQUcsTUFBTSxNQUFNLEdBQUcsT0FBTyxDQUFDO0FBQ3BHLFFBQUksU0FBUyxFQUFHLE9BQU0sT0FBTyxLQUFLLGtCQUFrQjtBQUFBLEVBQ3JELENBQUMsQ0FBQztBQUdILElBQUUsT0FBTyxnQkFBZ0IsS0FBSyxDQUFDLFlBQzlCLFVBQVUsT0FBTyxPQUFPO0FBQ3ZCLFVBQU0sT0FBTyxNQUFNLEdBQUc7QUFBQSxNQUNyQjtBQUFBO0FBQUEsTUFDNkQsUUFBUSxPQUFPO0FBQUEsSUFBQztBQUM5RSxRQUFJLFNBQVMsRUFBRyxPQUFNLE9BQU8sS0FBSyxhQUFhO0FBQUEsRUFDaEQsQ0FBQyxDQUFDO0FBRUgsSUFBRSxLQUFLLHNCQUFzQixLQUFLLE9BQU8sWUFBWTtBQUNwRCxVQUFNLEtBQUssUUFBUSxHQUFHLE1BQU0sZ0JBQWdCO0FBQzVDLFFBQUksUUFBaUI7QUFDckIsVUFBTSxVQUFVLE9BQU8sT0FBTztBQUM3QixjQUFRLE1BQU0sR0FBRztBQUFBLFFBQ2hCO0FBQUE7QUFBQTtBQUFBLFFBRWdCO0FBQUEsUUFBSSxHQUFHLE9BQU87QUFBQSxNQUFDO0FBQ2hDLFVBQUksVUFBVSxLQUFNLE9BQU0sT0FBTyxLQUFLLGdCQUFnQjtBQUFBLElBQ3ZELENBQUM7QUFDRCxXQUFPLFFBQVEsS0FBSztBQUFBLEVBQ3JCLENBQUM7QUFFRCxJQUFFLFdBQXFEO0FBQUEsSUFDdEQsTUFBTTtBQUFBLElBQVUsTUFBTTtBQUFBLElBQUssT0FBTztBQUFBLElBQU0sS0FBSztBQUFBLElBQUksTUFBTSxDQUFDLFVBQVUsUUFBUSxRQUFRO0FBQUEsSUFDbEYsUUFBUTtBQUFBLE1BQ1AsT0FBTztBQUFBLE1BQW9CLFFBQVEsZUFBZSxRQUFRLEtBQUssR0FBRyxDQUFDO0FBQUEsTUFDbkUsU0FBUztBQUFBLE1BQW1CLE9BQU87QUFBQSxJQUNwQztBQUFBLElBQ0EsTUFBTSxNQUFNO0FBQ1gsV0FBSyxRQUFRLFFBQVEsS0FBSyxPQUFPLE9BQU8sRUFBRSxJQUFJLENBQUMsRUFBRSxJQUFJLEtBQUssT0FBTyxFQUFFLElBQUksTUFBTSxPQUFPLFdBQVcsR0FBRyxLQUFLLEVBQUU7QUFBQSxJQUMxRztBQUFBLElBQ0EsTUFBTSxPQUFPLE1BQU07QUFDbEIsWUFBTSxVQUFVLE9BQU8sT0FBTztBQUM3QixjQUFNLEVBQUUsT0FBTyxHQUFHLElBQUksTUFBTSxLQUFLLEVBQUU7QUFDbkMsWUFBSSxVQUFVLFlBQVksT0FBTyxLQUFNLE9BQU0sT0FBTyxJQUFJLGFBQWEsRUFBRTtBQUFBLE1BQ3hFLENBQUM7QUFDRCxZQUFNLEtBQUs7QUFBQSxJQUNaO0FBQUEsRUFDRCxDQUFDO0FBRUQsSUFBRSxNQUFNLFFBQVEsRUFBRSxTQUFTLEdBQUcsR0FBRyxJQUFJO0FBQ3JDLElBQUUsTUFBTSxVQUFVLEVBQUUsU0FBUyxFQUFFLEdBQUcsTUFBTTtBQUN4QyxJQUFFLE1BQU0sVUFBVSxFQUFFLE1BQU0sRUFBRSxHQUFHLE1BQU0sR0FBRyxLQUFLLDJEQUEyRCxDQUFDO0FBRXpHLElBQUUsYUFBYSxDQUFDLFdBQ2YsVUFBVSxPQUFPLE9BQU87QUFDdkIsVUFBTSxHQUFHLEtBQUsscUVBQXFFLE1BQU07QUFDekYsVUFBTSxHQUFHLEtBQUssdURBQXVELE1BQU07QUFBQSxFQUM1RSxDQUFDLENBQUM7QUFDSCxJQUFFLGFBQWEsT0FBTyxXQUFXO0FBQ2hDLFVBQU0sUUFBUSxNQUFNLEdBQUc7QUFBQSxNQUN0QjtBQUFBO0FBQUEsTUFDc0M7QUFBQSxJQUFNO0FBQzdDLFVBQU0sT0FBTyxNQUFNLEdBQUc7QUFBQSxNQUNyQjtBQUFBO0FBQUE7QUFBQTtBQUFBLE1BRzJDO0FBQUEsSUFBTTtBQUNsRCxXQUFPLE1BQU0sU0FBUyxLQUFLLFNBQVMsSUFBSSxFQUFFLE9BQU8sS0FBSyxJQUFJO0FBQUEsRUFDM0QsQ0FBQztBQUNGLENBQUM7IiwKICAibmFtZXMiOiBbInJvdW5kIiwgImRheSJdCn0K
