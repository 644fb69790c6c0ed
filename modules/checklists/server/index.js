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
var selectRounds = `
	SELECT r.id, r.list_id AS "listId", r.key IS NULL AS "byHand", r.title, to_jsonb(r.due) AS due, r.person,
	       to_jsonb(r.finished_at) AS "finishedAt",
	       coalesce((SELECT jsonb_agg(jsonb_build_object('item', c.item_id, 'by', c.done_by, 'at', c.done_at))
	                 FROM checks c WHERE c.round_id = r.id), '[]') AS checks
	FROM rounds r`;
var selectCurrent = `${selectRounds}
	WHERE r.due BETWEEN now() - interval '1 day' AND now() + interval '8 days'
	ORDER BY r.due, r.id
	LIMIT 80`;
async function named(rows) {
  const ids = new Set(rows.flatMap(({ person, checks }) => [person, ...checks.map(({ by }) => by)]));
  ids.delete(null);
  const names = ids.size > 0 ? await people.names([...ids].slice(0, 200)) : {};
  const name = (id) => id === null ? null : names[id] ?? null;
  return rows.map(({ checks, ...row }) => ({
    ...row,
    name: name(row.person),
    checks: checks.map(({ by, ...check }) => ({ ...check, name: name(by) }))
  }));
}
var lists = (from) => from.query("SELECT id, title, moment, minutes, items, rev FROM lists ORDER BY title");
var board = () => db.tx(async (tx) => {
  const head = await tx.one(
    `SELECT rev, to_jsonb(now()) AS "serverTime" FROM board`
  );
  const rounds = await named(await tx.query(selectCurrent));
  return { rev: 0, serverTime: "", ...head, lists: await lists(tx), rounds };
});
var settle = (tx, roundOrList) => tx.exec(
  `UPDATE rounds r
		 SET finished_at = CASE WHEN l.items <> '[]' AND NOT EXISTS (
		         SELECT FROM jsonb_array_elements(l.items) i
		         WHERE NOT EXISTS (SELECT FROM checks c WHERE c.round_id = r.id AND c.item_id = (i->>'id')::uuid))
		     THEN coalesce(r.finished_at, now()) END
		 FROM lists l
		 WHERE l.id = r.list_id AND $1 IN (r.id, l.id) AND (r.finished_at IS NULL OR r.id = $1)`,
  roundOrList
);
var changeRound = (id, work) => changes.write(async (tx, rev) => {
  await work(tx);
  await settle(tx, id);
  const [round] = await named(await tx.query(`${selectRounds} WHERE r.id = $1`, id));
  if (round === void 0) throw refuse(404, "ROUND_NOT_FOUND");
  return { board: { rev, round } };
});
var changeAll = (work) => changes.write(async (tx, rev) => {
  await work(tx);
  return { board: { rev } };
});

// server-src/plan.ts
var minute = 6e4;
var day = 24 * 60 * minute;
function planned({ id: list, moment, minutes }, events) {
  if (moment === "hand") return [];
  const closes = moment === "close";
  const by = (closes ? minutes : -minutes) * minute;
  const rounds = events.map(({ id, date, title, day: day2, startsAt, endsAt }) => ({
    list,
    key: moment === "event" ? `${id} ${date}` : day2,
    title,
    due: new Date(Date.parse(closes ? endsAt : startsAt) + by).toISOString()
  }));
  rounds.sort((a, b) => closes ? a.due.localeCompare(b.due) : b.due.localeCompare(a.due));
  return [...new Map(rounds.map((round) => [round.key, round])).values()];
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
  const asked = { from: new Date(now - day).toISOString(), until: new Date(now + 7 * day).toISOString() };
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
var mark = `UPDATE rounds SET reminded_at = now()
	WHERE id = $1 AND reminded_at IS NULL AND finished_at IS NULL`;
var passing = /* @__PURE__ */ new Set(["CONNECTION_FAILED", "DEFERRED", "TIMEOUT", "TLS_FAILED", "AUTHENTICATION_FAILED"]);
async function remind() {
  const { language } = await house();
  for (const late of await db.query(selectLate, config.string("fallbackAddress") || null)) {
    if (late.address === null || await db.exec(mark, late.id) === 0) continue;
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
    const [list, id] = [request.id("id", "LIST_NOT_FOUND"), crypto.randomUUID()];
    await changeRound(id, async (tx) => {
      const begun = await tx.exec(
        `INSERT INTO rounds (id, list_id, title, due, person)
				 SELECT $2, id, '', now() + make_interval(mins => minutes), $3 FROM lists WHERE id = $1`,
        list,
        id,
        me(request)
      );
      if (begun === 0) throw refuse(404, "LIST_NOT_FOUND");
    });
    return created({ id });
  });
  m.collection({
    path: "/lists",
    read: use,
    write: edit,
    max: 30,
    only: ["read", "create", "edit", "remove"],
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
        if (event === "edited" && id !== null) await settle(tx, id);
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
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsic2RrOkBuYXJ0aGV4L3NlcnZlciIsICIuLi9zZXJ2ZXItc3JjL2JvYXJkLnRzIiwgIi4uL3NlcnZlci1zcmMvc3RvcmUudHMiLCAiLi4vc2VydmVyLXNyYy9wbGFuLnRzIiwgIi4uL3NlcnZlci1zcmMvcmVtaW5kLnRzIiwgIi4uL3NlcnZlci1zcmMvaW5kZXgudHMiXSwKICAibWFwcGluZ3MiOiAiO0FBRU8sSUFBTTtBQUFBLEVBQ1o7QUFBQSxFQUFlO0FBQUEsRUFBUztBQUFBLEVBQVU7QUFBQSxFQUFLO0FBQUEsRUFBWTtBQUFBLEVBQVE7QUFBQSxFQUFTO0FBQUEsRUFBSTtBQUFBLEVBQWM7QUFBQSxFQUFPO0FBQUEsRUFDN0Y7QUFBQSxFQUFPO0FBQUEsRUFBSztBQUFBLEVBQU07QUFBQSxFQUFRO0FBQUEsRUFBVTtBQUFBLEVBQVE7QUFBQSxFQUFRO0FBQUEsRUFBTztBQUM1RCxJQUFJLFdBQVc7OztBQ0ZSLElBQU0sVUFBVSxDQUFDLFFBQVEsU0FBUyxTQUFTLE1BQU07OztBQ0N4RCxJQUFNLFVBQVUsR0FBRyxRQUFRLDhDQUE4QztBQU96RSxJQUFNLGVBQWU7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBUXJCLElBQU0sZ0JBQWdCLEdBQUcsWUFBWTtBQUFBO0FBQUE7QUFBQTtBQU1yQyxlQUFlLE1BQU0sTUFBNkM7QUFDakUsUUFBTSxNQUFNLElBQUksSUFBSSxLQUFLLFFBQVEsQ0FBQyxFQUFFLFFBQVEsT0FBTyxNQUFNLENBQUMsUUFBUSxHQUFHLE9BQU8sSUFBSSxDQUFDLEVBQUUsR0FBRyxNQUFNLEVBQUUsQ0FBQyxDQUFDLENBQUM7QUFDakcsTUFBSSxPQUFPLElBQUk7QUFDZixRQUFNLFFBQVEsSUFBSSxPQUFPLElBQUksTUFBTSxPQUFPLE1BQU0sQ0FBQyxHQUFHLEdBQUcsRUFBRSxNQUFNLEdBQUcsR0FBRyxDQUFhLElBQUksQ0FBQztBQUN2RixRQUFNLE9BQU8sQ0FBQyxPQUF1QixPQUFPLE9BQU8sT0FBUSxNQUFNLEVBQUUsS0FBSztBQUN4RSxTQUFPLEtBQUssSUFBSSxDQUFDLEVBQUUsUUFBUSxHQUFHLElBQUksT0FBTztBQUFBLElBQ3hDLEdBQUc7QUFBQSxJQUNILE1BQU0sS0FBSyxJQUFJLE1BQU07QUFBQSxJQUNyQixRQUFRLE9BQU8sSUFBSSxDQUFDLEVBQUUsSUFBSSxHQUFHLE1BQU0sT0FBTyxFQUFFLEdBQUcsT0FBTyxNQUFNLEtBQUssRUFBRSxFQUFFLEVBQUU7QUFBQSxFQUN4RSxFQUFFO0FBQ0g7QUFFTyxJQUFNLFFBQVEsQ0FBQyxTQUNyQixLQUFLLE1BQVkseUVBQXlFO0FBRXBGLElBQU0sUUFBUSxNQUNwQixHQUFHLEdBQUcsT0FBTyxPQUF1QjtBQUVuQyxRQUFNLE9BQU8sTUFBTSxHQUFHO0FBQUEsSUFDckI7QUFBQSxFQUF3RDtBQUN6RCxRQUFNLFNBQVMsTUFBTSxNQUFNLE1BQU0sR0FBRyxNQUFnQixhQUFhLENBQUM7QUFDbEUsU0FBTyxFQUFFLEtBQUssR0FBRyxZQUFZLElBQUksR0FBRyxNQUFNLE9BQU8sTUFBTSxNQUFNLEVBQUUsR0FBRyxPQUFPO0FBQzFFLENBQUM7QUFHSyxJQUFNLFNBQVMsQ0FBQyxJQUFnQixnQkFDdEMsR0FBRztBQUFBLEVBQ0Y7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQSxFQU0wRjtBQUFXO0FBR2hHLElBQU0sY0FBYyxDQUFDLElBQVksU0FDdkMsUUFBUSxNQUFNLE9BQU8sSUFBSSxRQUFRO0FBQ2hDLFFBQU0sS0FBSyxFQUFFO0FBQ2IsUUFBTSxPQUFPLElBQUksRUFBRTtBQUNuQixRQUFNLENBQUMsS0FBSyxJQUFJLE1BQU0sTUFBTSxNQUFNLEdBQUcsTUFBZ0IsR0FBRyxZQUFZLG9CQUFvQixFQUFFLENBQUM7QUFDM0YsTUFBSSxVQUFVLE9BQVcsT0FBTSxPQUFPLEtBQUssaUJBQWlCO0FBQzVELFNBQU8sRUFBRSxPQUFPLEVBQUUsS0FBSyxNQUFNLEVBQUU7QUFDaEMsQ0FBQztBQUdLLElBQU0sWUFBWSxDQUFDLFNBQ3pCLFFBQVEsTUFBTSxPQUFPLElBQUksUUFBUTtBQUNoQyxRQUFNLEtBQUssRUFBRTtBQUNiLFNBQU8sRUFBRSxPQUFPLEVBQUUsSUFBSSxFQUFFO0FBQ3pCLENBQUM7OztBQzNERixJQUFNLFNBQVM7QUFDZixJQUFNLE1BQU0sS0FBSyxLQUFLO0FBR3RCLFNBQVMsUUFBUSxFQUFFLElBQUksTUFBTSxRQUFRLFFBQVEsR0FBUyxRQUEwQjtBQUMvRSxNQUFJLFdBQVcsT0FBUSxRQUFPLENBQUM7QUFDL0IsUUFBTSxTQUFTLFdBQVc7QUFDMUIsUUFBTSxNQUFNLFNBQVMsVUFBVSxDQUFDLFdBQVc7QUFDM0MsUUFBTSxTQUFTLE9BQU8sSUFBSSxDQUFDLEVBQUUsSUFBSSxNQUFNLE9BQU8sS0FBQUEsTUFBSyxVQUFVLE9BQU8sT0FBTztBQUFBLElBQzFFO0FBQUEsSUFDQSxLQUFLLFdBQVcsVUFBVSxHQUFHLEVBQUUsSUFBSSxJQUFJLEtBQUtBO0FBQUEsSUFDNUM7QUFBQSxJQUNBLEtBQUssSUFBSSxLQUFLLEtBQUssTUFBTSxTQUFTLFNBQVMsUUFBUSxJQUFJLEVBQUUsRUFBRSxZQUFZO0FBQUEsRUFDeEUsRUFBRTtBQUNGLFNBQU8sS0FBSyxDQUFDLEdBQUcsTUFBTyxTQUFTLEVBQUUsSUFBSSxjQUFjLEVBQUUsR0FBRyxJQUFJLEVBQUUsSUFBSSxjQUFjLEVBQUUsR0FBRyxDQUFFO0FBQ3hGLFNBQU8sQ0FBQyxHQUFHLElBQUksSUFBSSxPQUFPLElBQUksQ0FBQyxVQUFVLENBQUMsTUFBTSxLQUFLLEtBQUssQ0FBQyxDQUFDLEVBQUUsT0FBTyxDQUFDO0FBQ3ZFO0FBR0EsSUFBTSxZQUFZO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBU2xCLGVBQXNCLE9BQXNCO0FBQzNDLFFBQU0sTUFBTSxLQUFLLElBQUk7QUFDckIsUUFBTSxRQUFRLEVBQUUsTUFBTSxJQUFJLEtBQUssTUFBTSxHQUFHLEVBQUUsWUFBWSxHQUFHLE9BQU8sSUFBSSxLQUFLLE1BQU0sSUFBSSxHQUFHLEVBQUUsWUFBWSxFQUFFO0FBQ3RHLE1BQUk7QUFDSixNQUFJO0FBQ0gsS0FBQyxFQUFFLE9BQU8sSUFBSSxNQUFNLFdBQVcsaUJBQWlCLEVBQUUsS0FBMEIsV0FBVyxLQUFLO0FBQUEsRUFDN0YsU0FBUyxPQUFPO0FBQ2YsUUFBSSxFQUFFLGlCQUFpQixlQUFnQixPQUFNO0FBQzdDLFFBQUksTUFBTSxTQUFTLG9CQUFxQixPQUFNLElBQUksS0FBSywrQkFBK0IsRUFBRSxNQUFNLE1BQU0sS0FBSyxDQUFDO0FBQzFHO0FBQUEsRUFDRDtBQUNBLFFBQU0sUUFBUSxPQUFPLE9BQU8sQ0FBQyxFQUFFLE9BQU8sTUFBTSxDQUFDLE1BQU07QUFDbkQsUUFBTSxTQUFTLEdBQUcsTUFBTSxNQUFNLE1BQU0sRUFBRSxHQUFHLFFBQVEsQ0FBQyxTQUFTLFFBQVEsTUFBTSxLQUFLLENBQUMsQ0FBQztBQUNoRixNQUFLLE1BQU0sR0FBRyxJQUFJLEdBQUcsU0FBUyxZQUFZLFFBQVEsTUFBTSxLQUFLLE1BQU8sS0FBTTtBQUMxRSxRQUFNLFVBQVUsT0FBTyxPQUFPO0FBQzdCLFVBQU0sT0FBTyxtQkFBbUIsU0FBUztBQUN6QyxVQUFNLEdBQUcsS0FBSyxtQ0FBbUMsSUFBSSxLQUFLLFFBQVEsTUFBTSxLQUFLO0FBQzdFLFVBQU0sR0FBRztBQUFBLE1BQ1I7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQSxNQU1vQztBQUFBLElBQU07QUFBQSxFQUM1QyxDQUFDO0FBQ0Y7OztBQ3pEQSxJQUFNLGFBQWE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFBQTtBQUFBO0FBQUE7QUFZbkIsSUFBTSxPQUFPO0FBQUE7QUFJYixJQUFNLFVBQVUsb0JBQUksSUFBSSxDQUFDLHFCQUFxQixZQUFZLFdBQVcsY0FBYyx1QkFBdUIsQ0FBQztBQUczRyxlQUFzQixTQUF3QjtBQUM3QyxRQUFNLEVBQUUsU0FBUyxJQUFJLE1BQU0sTUFBTTtBQUNqQyxhQUFXLFFBQVEsTUFBTSxHQUFHLE1BQVksWUFBWSxPQUFPLE9BQU8saUJBQWlCLEtBQUssSUFBSSxHQUFHO0FBQzlGLFFBQUksS0FBSyxZQUFZLFFBQVMsTUFBTSxHQUFHLEtBQUssTUFBTSxLQUFLLEVBQUUsTUFBTyxFQUFHO0FBQ25FLFVBQU0sU0FBUyxNQUFNLEtBQUssS0FBSyxFQUFFLElBQUksQ0FBQyxLQUFLLE9BQU8sR0FBRyxHQUFHLFFBQVEsTUFBTSxRQUFRLEVBQUUsQ0FBQztBQUNqRixRQUFJLFFBQVEsSUFBSSxNQUFNLEVBQUcsT0FBTSxHQUFHLEtBQUssc0RBQXNELEtBQUssRUFBRTtBQUNwRyxRQUFJLFdBQVcsT0FBUSxPQUFNLElBQUksS0FBSywyQkFBMkIsRUFBRSxPQUFPLENBQUM7QUFBQSxFQUM1RTtBQUNEO0FBRUEsSUFBTSxRQUFRO0FBQUEsRUFDYixJQUFJO0FBQUEsSUFDSCxTQUFTLENBQUMsU0FBaUIsaUJBQWlCLElBQUk7QUFBQSxJQUNoRCxPQUFPO0FBQUEsSUFDUCxNQUFNO0FBQUEsSUFDTixNQUFNO0FBQUEsRUFDUDtBQUFBLEVBQ0EsSUFBSTtBQUFBLElBQ0gsU0FBUyxDQUFDLFNBQWlCLHdCQUF3QixJQUFJO0FBQUEsSUFDdkQsT0FBTztBQUFBLElBQ1AsTUFBTTtBQUFBLElBQ04sTUFBTTtBQUFBLEVBQ1A7QUFDRDtBQUVBLFNBQVMsUUFBUSxFQUFFLElBQUksTUFBTSxPQUFPLE9BQU8sS0FBSyxHQUFTLFVBQXVCO0FBQy9FLFFBQU0sTUFBTSxNQUFNLFFBQVE7QUFDMUIsUUFBTSxZQUFZLE9BQU8sT0FBTyxlQUFlO0FBQy9DLFFBQU0sUUFBUSxDQUFDLFVBQVUsS0FBSyxPQUFPLEdBQUcsSUFBSSxNQUFNLEtBQUssSUFBSSxJQUFJLFFBQVEsSUFBSSxRQUFRLElBQUksTUFBTSxFQUFFO0FBQy9GLFFBQU0sS0FBSyxHQUFHLEtBQUssSUFBSSxDQUFDLFNBQVMsS0FBSyxJQUFJLEVBQUUsQ0FBQztBQUM3QyxNQUFJLFVBQVcsT0FBTSxLQUFLLElBQUksSUFBSSxNQUFNLEdBQUcsVUFBVSxRQUFRLFVBQVUsRUFBRSxDQUFDLHlCQUF5QixFQUFFLEVBQUU7QUFDdkcsU0FBTyxFQUFFLFNBQVMsSUFBSSxRQUFRLElBQUksR0FBRyxNQUFNLE1BQU0sS0FBSyxJQUFJLEVBQUU7QUFDN0Q7OztBQzFEQSxJQUFNLE1BQU07QUFDWixJQUFNLE9BQU87QUFHYixJQUFNLFVBQVUsTUFBTSxLQUFLLE1BQU0sT0FBTyxFQUFFLElBQUksTUFBTSxTQUFTLE1BQU0sR0FBRyxDQUFDLEdBQUcsTUFBTSxNQUFNLEtBQUssR0FBRyxHQUFHLEVBQUUsQ0FBQyxHQUFHLEVBQUU7QUFFekcsSUFBTSxLQUFLLENBQUMsRUFBRSxVQUFVLE1BQXVCLFVBQVUsVUFBVTtBQUNuRSxJQUFNLFVBQVUsQ0FBQyxZQUE2QixRQUFRLEdBQUcsTUFBTSxpQkFBaUI7QUFFaEYsSUFBTyxnQkFBUSxhQUFhLENBQUMsTUFBTTtBQUNsQyxJQUFFLElBQUksVUFBVSxLQUFLLEtBQUs7QUFDMUIsSUFBRSxRQUFRLFNBQVMsS0FBSyxLQUFLO0FBQzdCLElBQUUsTUFBTSxRQUFRO0FBRWhCLElBQUUsSUFBSSxPQUFPLEtBQUssT0FBTyxZQUF5QjtBQUNqRCxVQUFNLE9BQU8sTUFBTSxHQUFHO0FBQUEsTUFDckI7QUFBQSxNQUE0RixHQUFHLE9BQU87QUFBQSxJQUFDO0FBQ3hHLFdBQU8sRUFBRSxJQUFJLEdBQUcsT0FBTyxHQUFHLFNBQVMsTUFBTSxXQUFXLEdBQUc7QUFBQSxFQUN4RCxDQUFDO0FBRUQsSUFBRSxJQUFJLDZCQUE2QixLQUFLLEVBQUUsY0FBYyxJQUFJLEdBQUcsT0FBTyxZQUFZO0FBQ2pGLFVBQU0sQ0FBQyxJQUFJLElBQUksSUFBSSxDQUFDLFFBQVEsT0FBTyxHQUFHLFFBQVEsR0FBRyxRQUFRLGdCQUFnQixDQUFDO0FBQzFFLFVBQU0sRUFBRSxLQUFLLElBQUksTUFBTSxRQUFRLEtBQUssRUFBRSxNQUFNLE1BQU0sUUFBUSxFQUFFLENBQUM7QUFDN0QsVUFBTSxZQUFZLElBQUksT0FBTyxPQUFPO0FBQ25DLFlBQU0sT0FBTyxNQUFNLEdBQUc7QUFBQSxRQUNyQjtBQUFBLFFBQStFO0FBQUEsTUFBRTtBQUNsRixVQUFJLENBQUMsTUFBTSxNQUFNLEtBQUssQ0FBQyxRQUFRLElBQUksT0FBTyxJQUFJLEVBQUcsT0FBTSxPQUFPLEtBQUssZ0JBQWdCO0FBQ25GLFVBQUksQ0FBQyxLQUFNLFFBQU8sR0FBRyxLQUFLLDJEQUEyRCxJQUFJLElBQUk7QUFFN0YsWUFBTSxHQUFHLEtBQUssaUVBQWlFLElBQUksTUFBTSxHQUFHLE9BQU8sQ0FBQztBQUNwRyxhQUFPLEdBQUcsS0FBSyxrRUFBa0UsSUFBSSxHQUFHLE9BQU8sQ0FBQztBQUFBLElBQ2pHLENBQUM7QUFBQSxFQUNGLENBQUM7QUFFRCxRQUFNLFlBQVk7QUFDbEIsSUFBRSxJQUFJLHVCQUF1QixLQUFLLEVBQUUsY0FBYyxLQUFLLEdBQUcsT0FBTyxZQUFZO0FBQzVFLFVBQU0sRUFBRSxRQUFRLElBQUksTUFBTSxRQUFRLEtBQUssRUFBRSxTQUFTLE1BQU0sU0FBUyxNQUFNLEtBQUssR0FBRyxHQUFHLENBQUMsRUFBRSxDQUFDO0FBQ3RGLFFBQUksWUFBWSxRQUFRLENBQUMsb0JBQW9CLEtBQUssT0FBTyxFQUFHLE9BQU0sT0FBTyxLQUFLLGlCQUFpQjtBQUMvRixVQUFNLFlBQVksUUFBUSxPQUFPLEdBQUcsQ0FBQyxPQUFPLEdBQUcsS0FBSyxXQUFXLFFBQVEsT0FBTyxHQUFHLEdBQUcsT0FBTyxHQUFHLE9BQU8sQ0FBQztBQUFBLEVBQ3ZHLENBQUM7QUFDRCxJQUFFLE9BQU8sdUJBQXVCLEtBQUssQ0FBQyxZQUNyQyxZQUFZLFFBQVEsT0FBTyxHQUFHLE9BQU8sT0FBTztBQUMzQyxVQUFNLE9BQU8sTUFBTSxHQUFHLEtBQUssR0FBRyxTQUFTLG9CQUFvQixRQUFRLE9BQU8sR0FBRyxNQUFNLE1BQU0sR0FBRyxPQUFPLENBQUM7QUFDcEcsUUFBSSxTQUFTLEVBQUcsT0FBTSxPQUFPLEtBQUssa0JBQWtCO0FBQUEsRUFDckQsQ0FBQyxDQUFDO0FBR0gsSUFBRSxPQUFPLGdCQUFnQixLQUFLLENBQUMsWUFDOUIsVUFBVSxPQUFPLE9BQU87QUFDdkIsVUFBTSxPQUFPLE1BQU0sR0FBRztBQUFBLE1BQ3JCO0FBQUE7QUFBQSxNQUM2RCxRQUFRLE9BQU87QUFBQSxJQUFDO0FBQzlFLFFBQUksU0FBUyxFQUFHLE9BQU0sT0FBTyxLQUFLLGFBQWE7QUFBQSxFQUNoRCxDQUFDLENBQUM7QUFFSCxJQUFFLEtBQUssc0JBQXNCLEtBQUssT0FBTyxZQUFZO0FBQ3BELFVBQU0sQ0FBQyxNQUFNLEVBQUUsSUFBSSxDQUFDLFFBQVEsR0FBRyxNQUFNLGdCQUFnQixHQUFHLE9BQU8sV0FBVyxDQUFDO0FBQzNFLFVBQU0sWUFBWSxJQUFJLE9BQU8sT0FBTztBQUNuQyxZQUFNLFFBQVEsTUFBTSxHQUFHO0FBQUEsUUFDdEI7QUFBQTtBQUFBLFFBRUE7QUFBQSxRQUFNO0FBQUEsUUFBSSxHQUFHLE9BQU87QUFBQSxNQUFDO0FBQ3RCLFVBQUksVUFBVSxFQUFHLE9BQU0sT0FBTyxLQUFLLGdCQUFnQjtBQUFBLElBQ3BELENBQUM7QUFDRCxXQUFPLFFBQVEsRUFBRSxHQUFHLENBQUM7QUFBQSxFQUN0QixDQUFDO0FBRUQsSUFBRSxXQUFxRDtBQUFBLElBQ3RELE1BQU07QUFBQSxJQUFVLE1BQU07QUFBQSxJQUFLLE9BQU87QUFBQSxJQUFNLEtBQUs7QUFBQSxJQUFJLE1BQU0sQ0FBQyxRQUFRLFVBQVUsUUFBUSxRQUFRO0FBQUEsSUFDMUYsUUFBUTtBQUFBLE1BQ1AsT0FBTztBQUFBLE1BQW9CLFFBQVEsZUFBZSxRQUFRLEtBQUssR0FBRyxDQUFDO0FBQUEsTUFDbkUsU0FBUztBQUFBLE1BQW1CLE9BQU87QUFBQSxJQUNwQztBQUFBLElBQ0EsTUFBTSxNQUFNO0FBQ1gsV0FBSyxRQUFRLFFBQVEsS0FBSyxPQUFPLE9BQU8sRUFBRSxJQUFJLENBQUMsRUFBRSxJQUFJLEtBQUssT0FBTyxFQUFFLElBQUksTUFBTSxPQUFPLFdBQVcsR0FBRyxLQUFLLEVBQUU7QUFBQSxJQUMxRztBQUFBLElBQ0EsTUFBTSxPQUFPLE1BQU07QUFDbEIsWUFBTSxVQUFVLE9BQU8sT0FBTztBQUM3QixjQUFNLEVBQUUsT0FBTyxHQUFHLElBQUksTUFBTSxLQUFLLEVBQUU7QUFDbkMsWUFBSSxVQUFVLFlBQVksT0FBTyxLQUFNLE9BQU0sT0FBTyxJQUFJLEVBQUU7QUFBQSxNQUMzRCxDQUFDO0FBQ0QsWUFBTSxLQUFLO0FBQUEsSUFDWjtBQUFBLEVBQ0QsQ0FBQztBQUVELElBQUUsTUFBTSxRQUFRLEVBQUUsU0FBUyxHQUFHLEdBQUcsSUFBSTtBQUNyQyxJQUFFLE1BQU0sVUFBVSxFQUFFLFNBQVMsRUFBRSxHQUFHLE1BQU07QUFDeEMsSUFBRSxNQUFNLFVBQVUsRUFBRSxNQUFNLEVBQUUsR0FBRyxNQUFNLEdBQUcsS0FBSywyREFBMkQsQ0FBQztBQUV6RyxJQUFFLGFBQWEsQ0FBQyxXQUNmLFVBQVUsT0FBTyxPQUFPO0FBQ3ZCLFVBQU0sR0FBRyxLQUFLLHFFQUFxRSxNQUFNO0FBQ3pGLFVBQU0sR0FBRyxLQUFLLHVEQUF1RCxNQUFNO0FBQUEsRUFDNUUsQ0FBQyxDQUFDO0FBQ0gsSUFBRSxhQUFhLE9BQU8sV0FBVztBQUNoQyxVQUFNLFFBQVEsTUFBTSxHQUFHO0FBQUEsTUFDdEI7QUFBQTtBQUFBLE1BQ3NDO0FBQUEsSUFBTTtBQUM3QyxVQUFNLE9BQU8sTUFBTSxHQUFHO0FBQUEsTUFDckI7QUFBQTtBQUFBO0FBQUE7QUFBQSxNQUcyQztBQUFBLElBQU07QUFDbEQsV0FBTyxNQUFNLFNBQVMsS0FBSyxTQUFTLElBQUksRUFBRSxPQUFPLEtBQUssSUFBSTtBQUFBLEVBQzNELENBQUM7QUFDRixDQUFDOyIsCiAgIm5hbWVzIjogWyJkYXkiXQp9Cg==
