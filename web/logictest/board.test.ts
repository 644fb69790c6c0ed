import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, type Board, type BoardSlide } from "../../modules/announcements/display-src/board";
import { due, turnAt } from "../../modules/announcements/display-src/rotation";

const slide = (id: string, position: number, more: Partial<BoardSlide> = {}): BoardSlide => ({
	...{ id, kind: "notice", title: id, body: "", imageId: null, payload: null, startsAt: null, endsAt: null },
	...{ position, rev: 1, ...more },
});
const at = (second: number) => new Date(second * 1000).toISOString();
const board = (slides: readonly BoardSlide[], more: Partial<Board> = {}): Board => ({
	...{ serverTime: at(0), rev: 5, slides, show: null },
	settings: { slideSeconds: 10, showClock: true, transition: "fade", idleMessage: "" },
	...more,
});
const ids = (shown: Board | undefined) => shown?.slides.map(({ id }) => id).join("");

test("updates change what they name, in the order of the board", () => {
	const before = board([slide("a", 1), slide("b", 2), slide("c", 3)]);
	assert.equal(ids(applied(before, { rev: 6, upsert: [slide("c", 0)] })), "cab");
	assert.equal(ids(applied(before, { rev: 6, upsert: [slide("d", 2)], remove: ["a"] })), "bdc");
	assert.equal(applied(before, { rev: 5, remove: ["a"] }), before); // in the snapshot already
	assert.equal(applied(before, { rev: 7, remove: ["a"] }), undefined); // an update is missing
	assert.equal(applied(before, { rev: 6 }), undefined); // a change without its content
	const show = { id: "b", until: at(30) };
	assert.deepEqual(applied(before, { rev: 6, show })?.show, show);
});

test("what is due", () => {
	const all = board([
		slide("early", 1, { endsAt: at(100) }),
		slide("late", 2, { startsAt: at(200) }),
		slide("other", 3, { kind: "gone.kind" }),
		slide("always", 4),
	]);
	const shown = (second: number) =>
		due(all, second * 1000, ({ kind }) => kind === "notice").map(({ id }) => id);
	assert.deepEqual(shown(99), ["early", "always"]);
	assert.deepEqual(shown(100), ["always"]);
	assert.deepEqual(shown(200), ["late", "always"]);
});

test("screens that start at different times agree", () => {
	const all = board([slide("a", 1), slide("b", 2), slide("c", 3)]);
	const shown = (second: number) => turnAt(all, second * 1000, undefined).slide?.id;
	assert.equal([0, 9, 10, 19, 20, 29, 30].map(shown).join(""), "aabbcca");
	assert.equal(turnAt(board([]), 0, undefined).slide, undefined);
});

test("a change of the board does not take away what is shown, unless it is over", () => {
	const first = turnAt(board([slide("a", 1), slide("b", 2)]), 10_000, undefined);
	assert.equal(first.slide?.id, "b");
	const more = board([slide("a", 1), slide("b", 2), slide("c", 3), slide("d", 4)]);
	assert.equal(turnAt(more, 15_000, { ...first, slot: 1 }).slide?.id, "b");
	assert.equal(turnAt(more, 30_000, first).slide?.id, "d");
	assert.equal(turnAt(board([slide("a", 1)]), 15_000, first).slide?.id, "a");
	const edited = slide("b", 2, { rev: 2 });
	assert.equal(turnAt(board([slide("a", 1), edited]), 15_000, first).slide, edited);
});

test("what is shown by hand goes before all, until its time is over", () => {
	const show = { id: "later", until: at(100) };
	const all = board([slide("a", 1), slide("later", 2, { startsAt: at(500) })], { show });
	const shown = (second: number, of = all) => turnAt(of, second * 1000, undefined).slide?.id;
	assert.equal([99, 100].map((second) => shown(second)).join(), "later,a");
	assert.equal(shown(50, board([slide("a", 1)], { show })), "a"); // deleted meanwhile
	const over = slide("later", 2, { endsAt: at(40) });
	assert.equal(shown(50, board([slide("a", 1), over], { show })), "a");
});
