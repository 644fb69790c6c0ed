import assert from "node:assert/strict";
import { test } from "node:test";
import type { Result } from "../../modules/rota/ui-src/api";
import type { Assignment, Board } from "../../modules/rota/ui-src/board";
import { Follower } from "../../modules/rota/ui-src/follower";

const serverTime = "2026-11-27T10:00:00.000Z";
const board = (rev: number, outside = "a", ids: readonly string[] = []): Board => ({
	...{ serverTime, rev, outside, rolesRev: 1, announcements: false, weekStartsOn: "monday", unplanned: false },
	...{ news: [], roles: [], volunteers: [] },
	weeks: [
		{
			begins: "2026-11-23",
			services: [{ id: "s", title: "", start: serverTime, needs: [], assignments: ids.map(assignment) }],
		},
	],
});
const assignment = (id: string): Assignment => ({
	...{ id, serviceId: "s", roleId: "r", volunteerId: "v", status: "planned", was: null, seeking: false },
	...{ mail: null, rev: 1 },
});
const adding = (rev: number, id: string) => ({ rev, assignments: [assignment(id)] });

/** A follower whose requests, channel and timers the test drives. */
class Page {
	readonly #answers: ((result: Result<Board>) => void)[] = [];
	readonly #timers = new Map<number, () => void>();
	readonly shown: string[] = [];
	requests = 0;
	refused = 0;
	readonly follower: Follower;

	constructor() {
		let last = 0;
		const set = (fired: () => void) => {
			this.#timers.set(++last, fired);
			return last;
		};
		Object.assign(globalThis, {
			setTimeout: set,
			clearTimeout: (id: number) => void this.#timers.delete(id),
		});
		this.follower = new Follower({
			request: () => {
				this.requests++;
				return new Promise((answer) => this.#answers.push(answer));
			},
			changed: ({ rev, weeks }) => {
				const ids = weeks.flatMap(({ services }) => services.flatMap(({ assignments }) => assignments));
				this.shown.push(`${rev}:${ids.map(({ id }) => id).join("")}`);
			},
			refused: () => void this.refused++,
		});
	}

	snapshot(rev: number, outside = "a"): void {
		this.follower.reader.snapshot({ serverTime, rev, outside });
	}
	update(update: { readonly rev: number }): void {
		this.follower.reader.update?.(update);
	}
	async answer(result: Board | "busy" | "denied"): Promise<void> {
		const permission = "rota.manage";
		const answer = this.#answers.shift();
		assert.equal(answer === undefined, false, "there is no request to answer");
		answer?.(
			typeof result === "string" ? { ok: false, why: result, permission } : { ok: true, value: result },
		);
		for (let turn = 0; turn < 5; turn++) await undefined;
	}
	/** Lets the pauses before requests end. */
	fire(): void {
		for (const [id, fired] of [...this.#timers]) {
			this.#timers.delete(id);
			fired();
		}
	}
	/** How many requests there were, and how many wait. */
	get counts(): readonly number[] {
		return [this.requests, this.#timers.size];
	}
}

/** Runs with a new page, and with the real timers afterwards. */
function followed(name: string, run: (page: Page) => Promise<void>): void {
	test(name, async () => {
		const { setTimeout, clearTimeout } = globalThis;
		try {
			await run(new Page());
		} finally {
			Object.assign(globalThis, { setTimeout, clearTimeout });
		}
	});
}

followed("a change between the snapshot and the answer is shown, whatever the order", async (page) => {
	page.snapshot(3);
	page.update(adding(4, "x")); // is in the answer
	page.update(adding(5, "y")); // is not
	await page.answer(board(4, "a", ["x"]));
	assert.deepEqual(page.shown, ["5:xy"]);
	page.update(adding(6, "z"));
	assert.deepEqual(page.shown, ["5:xy", "6:xyz"]);
	assert.deepEqual(page.counts, [1, 0]);
});

followed("an answer that is older than the snapshot is shown, and requested again", async (page) => {
	await page.answer(board(3));
	page.snapshot(4); // the update to 4 was before the stream
	assert.deepEqual([page.shown, page.counts], [["3:"], [1, 1]]);
	page.fire();
	page.update(adding(5, "y"));
	await page.answer(board(4, "a", ["x"]));
	assert.deepEqual([page.shown, page.counts], [["3:", "5:xy"], [2, 0]]);
	page.follower.read();
	page.snapshot(6);
	page.fire();
	await page.answer(board(5, "a", ["x", "y"])); // of a request from before the snapshot
	assert.deepEqual([page.shown.at(-1), page.counts], ["5:xy", [3, 1]]);
});

followed("a connection that is opened again requests nothing if nothing was missed", async (page) => {
	page.snapshot(3);
	await page.answer(board(3));
	page.snapshot(3);
	page.update(adding(4, "x"));
	page.snapshot(4);
	assert.deepEqual([page.shown, page.counts], [["3:", "4:x"], [1, 0]]);
	page.snapshot(4, "b"); // the services are others
	page.snapshot(4, "b");
	assert.deepEqual(page.counts, [1, 1]);
	page.fire();
	await page.answer(board(4, "c")); // and others again
	assert.deepEqual([page.shown.at(-1), page.counts], ["4:", [2, 0]]);
});

followed("updates during a request are shown at once, and kept for its answer", async (page) => {
	page.snapshot(3);
	await page.answer(board(3));
	page.follower.read();
	page.update(adding(4, "x"));
	assert.equal(page.shown.at(-1), "4:x");
	await page.answer(board(3, "b")); // was read before the update
	assert.deepEqual([page.shown, page.counts], [["3:", "4:x", "4:x"], [2, 0]]);
});

followed("a change without its content, or a missing one, is requested once, after a pause", async (page) => {
	page.snapshot(3);
	await page.answer(board(3));
	page.update({ rev: 4 });
	page.update(adding(5, "x"));
	page.update({ rev: 6 });
	assert.deepEqual([page.shown, page.counts], [["3:"], [1, 1]]);
	page.fire();
	await page.answer(board(5, "a", ["x"])); // without the content of 6
	assert.deepEqual([page.shown.at(-1), page.counts], ["5:x", [2, 1]]);
	page.fire();
	await page.answer(board(6, "a", ["x"]));
	assert.deepEqual([page.shown.at(-1), page.counts], ["6:x", [3, 0]]);
	page.update(adding(8, "y"));
	for (let rev = 9; rev < 400; rev++) page.update(adding(rev, "y")); // more than are kept
	page.fire();
	await page.answer(board(7, "a", ["x"]));
	assert.deepEqual([page.shown.at(-1), page.counts], ["7:x", [4, 1]]);
});

followed("a request that fails is repeated; a refusal ends with the next snapshot", async (page) => {
	page.snapshot(3);
	await page.answer("busy");
	assert.deepEqual(page.counts, [1, 1]);
	page.fire();
	await page.answer("denied");
	assert.deepEqual([page.counts, page.refused], [[2, 0], 1]);
	page.follower.reader.state?.("refused");
	assert.equal(page.refused, 2);
	page.snapshot(3);
	await page.answer(board(3));
	assert.deepEqual([page.shown, page.counts], [["3:"], [3, 0]]);
	page.update({ rev: 4 });
	page.fire();
	await page.answer("denied");
	page.update({ rev: 5 });
	assert.deepEqual(page.counts, [4, 1]);
	page.follower.read();
	page.update({ rev: 6 });
	assert.deepEqual(page.counts, [5, 0]);
	page.follower.stop();
	page.snapshot(7);
	await page.answer(board(6));
	page.snapshot(8);
	assert.deepEqual([page.shown, page.counts], [["3:"], [5, 0]]);
});
