import { equal, ok, test } from "@narthex/server/test";
import { type Board, type Round, missing } from "./board";

const hour = 3_600_000;
const at = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
const event = (id: string, begins: number, ends: number, title = id) => ({
	...{ id, date: "first", title, day: "today", allDay: false },
	...{ startsAt: at(begins), endsAt: at(ends) },
});
const house = (...events: unknown[]) => ({ "calendar.events": { between: () => ({ events, more: false }) } });
const close = {
	...{ title: "Close", moment: "close", minutes: 30 },
	items: [{ text: "Windows" }, { text: "Lights" }, { text: "Door" }],
};

const steps = (board: Board, round: Round) => {
	const list = board.lists.find(({ id }) => id === round.listId);
	ok(list, "the list of the round");
	return { list, left: missing(list, round).map(({ text }) => text) };
};

test("the house is opened once and closed once a day, and each event has its own list", {
	capabilities: house(event("Choir", 3, 5), event("Youth", 4, 4.5), { ...event("Sale", 0, 24), allDay: true }),
}, async (m) => {
	const editor = await m.person("checklists.edit");
	for (const moment of ["open", "close", "event", "hand"]) {
		equal((await editor.post("/lists", { ...close, title: moment, moment })).status, 201, moment);
	}
	const { rounds, lists }: Board = (await editor.get("/board")).body;
	const of = (title: string) => {
		const id = lists.find((list) => list.title === title)?.id;
		return rounds.filter(({ listId }) => listId === id).map(({ title, due }) =>
			[title, Math.round((Date.parse(due) - Date.now()) / hour * 10) / 10]);
	};
	equal(of("open"), [["Choir", 2.5]]);
	equal(of("close"), [["Choir", 5.5]]);
	equal(of("event"), [["Choir", 2.5], ["Youth", 3.5]]);
	equal(of("hand"), []);
});

test("two people go through one round, and each step is of who was first", {
	capabilities: house(event("Choir", 1, 2)),
}, async (m) => {
	const editor = await m.person("checklists.edit");
	const [anna, ben] = [await m.person(), await m.person()];
	await anna.named("Anna");
	await ben.named("Ben");
	equal((await anna.post("/lists", close)).status, 403, "a list of somebody who only uses them");
	equal((await editor.post("/lists", close)).status, 201);
	const reader = await ben.subscribe("board");
	const board: Board = reader.body;
	const [round] = board.rounds;
	ok(round, "a round");
	const [windows] = steps(board, round).list.items;
	const path = `/rounds/${round.id}/items/${windows?.id}`;
	equal((await anna.put(path, { done: true })).status, 204);
	const update = await reader.next();
	equal([update.round.name, update.round.checks[0].name], ["Anna", "Anna"]);
	equal((await ben.put(path, { done: true })).status, 204);
	equal((await reader.next()).round.checks[0].name, "Anna", "a step that was done already");
	equal((await ben.put(`/rounds/${round.id}/items/${round.id}`, { done: true })).status, 404);
	equal((await ben.delete(`/rounds/${round.id}/person`)).status, 409, "giving back what another has");
	const edited = { ...close, items: [windows, { text: "Alarm" }], rev: steps(board, round).list.rev };
	equal((await editor.put(`/lists/${round.listId}`, edited)).status, 200);
	equal((await editor.put(`/lists/${round.listId}`, edited)).body, { code: "CONFLICT" });
	equal((await editor.post("/lists", close)).body, { code: "LIST_TITLE_TAKEN", field: "title" });
	const after: Board = (await ben.get("/board")).body;
	equal(steps(after, after.rounds[0] as Round).left, ["Alarm"], "what is left after the list was edited");
});

test("who has taken a round is reminded once, at the address that they gave", {
	capabilities: house(event("Choir", -3, -1)),
	configuration: { fallbackAddress: "office@example.org", dashboardLink: "https://church.example/" },
}, async (m) => {
	const editor = await m.person("checklists.edit");
	const anna = await m.person();
	await editor.post("/lists", close);
	await editor.post("/lists", { ...close, title: "Kitchen", items: [{ text: "Stove" }] });
	const { lists, rounds }: Board = (await anna.get("/board")).body;
	const closing = lists.find(({ title }) => title === "Close")?.id;
	const taken = rounds.find(({ listId }) => listId === closing);
	ok(taken, "the round of the list");
	const take = (address: string) => anna.put(`/rounds/${taken.id}/person`, { address });
	equal((await take("nowhere")).body, { code: "ADDRESS_INVALID" });
	equal((await take("anna@example.org")).status, 204);
	await m.failMail("TIMEOUT", "TIMEOUT");
	await m.advance({ minutes: 5 });
	equal((await m.sent()).length, 0, "mails while the server does not answer");
	await m.advance({ minutes: 5 });
	await m.advance({ minutes: 30 });
	const mails = [...(await m.sent())].sort((a, b) => a.subject.localeCompare(b.subject));
	equal(mails.map(({ to, subject }) => [...to, subject]), [
		["anna@example.org", "Not done yet: Close"], ["office@example.org", "Not done yet: Kitchen"],
	]);
	ok(mails[0]?.text.includes(`https://church.example/#/m/checklists/round/${taken.id}`), mails[0]?.text);
});

test("without the calendar somebody starts a round, and takes that back until a step is done", async (m) => {
	const anna = await m.person("checklists.edit");
	const list = (await anna.post("/lists", close)).body.id;
	const begin = async () => (await anna.post(`/lists/${list}/rounds`)).body.id;
	equal((await anna.delete(`/rounds/${await begin()}`)).status, 204);
	const id = await begin();
	const board: Board = (await anna.get("/board")).body;
	equal(board.rounds.length, 1);
	for (const step of board.lists[0]?.items ?? []) {
		await anna.put(`/rounds/${id}/items/${step.id}`, { done: true });
	}
	equal((await anna.delete(`/rounds/${id}`)).body, { code: "ROUND_BEGUN" });
	ok((await anna.get("/board")).body.rounds[0].finishedAt, "when it was finished");
	const exported = await m.export(anna.id);
	equal(exported.done.map(({ step }: { step: string }) => step), close.items.map(({ text }) => text));
	await m.erase(anna.id);
	equal(await m.export(anna.id), null);
	equal((await anna.get("/board")).body.rounds[0].checks.length, 3, "what was done stays");
});

test("a tick is written or refused when the database is lost, and other requests go on", async (m) => {
	const anna = await m.person("checklists.edit");
	const list = (await anna.post("/lists", close)).body.id;
	const round = (await anna.post(`/lists/${list}/rounds`)).body.id;
	const board: Board = (await anna.get("/board")).body;
	const path = `/rounds/${round}/items/${board.lists[0]?.items[0]?.id}`;
	for (const [when, done] of [["beforeStatement", 0], ["beforeCommit", 0], ["afterCommit", 1]] as const) {
		await m.loseDatabase(when);
		equal((await anna.put(path, { done: true })).body, { code: "STORE_UNAVAILABLE" }, when);
		equal((await anna.get("/board")).body.rounds[0].checks.length, done, when);
	}
});

test("a plan waits for a calendar that does not answer, and a look at the board asks little", {
	capabilities: house(event("Choir", 1, 2)),
}, async (m) => {
	const anna = await m.person("checklists.edit");
	await m.failCapability("calendar.events", "CAPABILITY_FAILED");
	equal((await anna.post("/lists", close)).status, 201);
	equal((await anna.get("/board")).body.rounds.length, 0);
	await m.advance({ minutes: 10 });
	equal((await anna.get("/board")).body.rounds.length, 1);
	const calls = await m.count(() => anna.get("/board"));
	ok(calls.statements <= 5, `${calls.statements} statements`);
});
