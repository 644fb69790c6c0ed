import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeContext, live, moduleApi, type StreamReader, words } from "../sdk/narthex-sdk";

test("a request results in a value, or in why it failed", async () => {
	const answers: Record<string, () => Response> = {
		"/ok": () => Response.json({ n: 1 }),
		"/empty": () => new Response(null, { status: 204 }),
		"/full": () => Response.json({ code: "SERVICE_FULL", taken: ["a"] }, { status: 409 }),
		"/conflict": () => Response.json({ code: "CONFLICT" }, { status: 409 }),
		"/gone": () => Response.json({ code: "NOTE_NOT_FOUND" }, { status: 404 }),
		"/signedout": () => Response.json({ code: "AUTHENTICATION_REQUIRED" }, { status: 401 }),
		"/busy": () => new Response("<html>", { status: 503 }),
		"/broken": () => Response.json({ code: "MODULE_HANDLER_FAILED" }, { status: 500 }),
		"/lost": () => {
			throw new TypeError();
		},
	};
	const api = moduleApi(
		fakeContext({ api: async (path) => answers[path]?.() ?? new Response() }),
		{ SERVICE_FULL: "serviceFull" },
	);
	assert.deepEqual(await api.send("GET", "/ok"), { ok: true, value: { n: 1 } });
	assert.deepEqual(await api.send("DELETE", "/empty"), { ok: true, value: undefined });
	const full = await api.send("GET", "/full");
	assert.deepEqual(full, {
		...{ ok: false, why: "serviceFull" },
		body: { code: "SERVICE_FULL", taken: ["a"] },
	});
	for (const [path, why] of Object.entries({
		...{ conflict: "conflict", gone: "gone", signedout: "denied", busy: "busy" },
		...{ broken: "failed", lost: "failed" },
	})) {
		const result = await api.send("GET", `/${path}`);
		assert.equal(!result.ok && result.why, why, path);
		const file = await api.file(`/${path}`);
		assert.equal(!file.ok && file.why, why, `a file from ${path}`);
	}
	const file = await api.file("/ok");
	assert.equal(file.ok && (await file.value.text()), '{"n":1}');
});

test("an object is sent as JSON, and a file as it is", async () => {
	const sent: (RequestInit | undefined)[] = [];
	const context = fakeContext({
		api: async (_, init) => {
			sent.push(init);
			return new Response();
		},
	});
	const api = moduleApi(context, {});
	const file = new Blob(["Name\n"], { type: "text/csv" });
	await api.send("POST", "/import", { a: 1 });
	await api.send("POST", "/import", file);
	await api.send("POST", "/import", new Blob(["x"]));
	assert.deepEqual(sent[0]?.headers, { "Content-Type": "application/json" });
	assert.equal(sent[0]?.body, '{"a":1}');
	assert.deepEqual(sent[1], { method: "POST", body: file, headers: { "Content-Type": "text/csv" } });
	assert.deepEqual(sent[2]?.headers, { "Content-Type": "application/octet-stream" });
});

test("texts are in the Dashboard's language, or in English", () => {
	const texts = { en: { left: { one: "{count} left", other: "{count} left" } }, de: { left: "noch {count}" } };
	const said = (locale: string) => words({ locale }, texts);
	assert.equal(said("de-AT")("left", { count: 1234 }), "noch 1\u00a0234");
	assert.equal(said("de-AT").language, "de-AT");
	assert.equal(said("DE")("left", { count: 3 }), "noch 3");
	assert.equal(said("fr")("left", { count: 3 }), "3 left");
	assert.equal(said("fr").language, "en");
	assert.equal(said("constructor").language, "en");
});

interface State {
	readonly serverTime: string;
	readonly rev: number;
}

/** A channel whose messages, clock and timers the test drives. */
function channel(told = 0) {
	const readers: StreamReader<State, number>[] = [];
	let ended = 0;
	const context = fakeContext({
		serverNow: () => told,
		realtime: (_, reader) => {
			readers.push(reader as StreamReader<State, number>);
			return () => void ended++;
		},
	});
	const shown: number[] = [];
	let refused = 0;
	const followed = live<State, number>(context, "board", {
		apply: (state, rev) => (rev <= state.rev ? state : rev === state.rev + 1 ? { ...state, rev } : undefined),
		changed: ({ rev }) => void shown.push(rev),
		refused: () => void refused++,
	});
	return {
		...{ shown, followed },
		reader: () => readers.at(-1) as StreamReader<State, number>,
		counts: () => [readers.length, ended, refused],
	};
}

/** Runs with timers that fire when the test says so. */
function withTimers(run: (fire: () => void) => void): void {
	const real = { setTimeout, clearTimeout };
	const waiting = new Map<number, () => void>();
	let last = 0;
	const fake = {
		setTimeout: (fired: () => void) => {
			waiting.set(++last, fired);
			return last;
		},
		clearTimeout: (id: number) => void waiting.delete(id),
	};
	Object.assign(globalThis, fake);
	try {
		run(() => {
			for (const [id, fired] of [...waiting]) {
				waiting.delete(id);
				fired();
			}
		});
	} finally {
		Object.assign(globalThis, real);
	}
}

test("a channel is followed, and read again after a missing update, once", () => {
	withTimers((fire) => {
		const { followed, shown, reader, counts } = channel();
		reader().update?.(7); // before the snapshot
		assert.equal(followed.state, undefined);
		reader().snapshot({ serverTime: "2026-11-27T10:00:00.000Z", rev: 3 });
		for (const rev of [3, 4, 2, 6, 7]) reader().update?.(rev);
		assert.deepEqual(shown, [3, 4]);
		assert.deepEqual(counts(), [1, 0, 0]);
		fire();
		assert.deepEqual(counts(), [2, 1, 0]);
		reader().snapshot({ serverTime: "2026-11-27T10:00:00.000Z", rev: 7 });
		reader().update?.(8);
		assert.deepEqual(shown, [3, 4, 7, 8]);
		reader().update?.(10);
		followed.stop();
		fire();
		assert.deepEqual(counts(), [2, 2, 0]);
	});
});

test("the server's time is that of the newest state while the platform's clock differs", () => {
	const told = Date.parse("2026-11-27T10:00:00.000Z");
	const { followed, reader, counts } = channel(told);
	assert.equal(followed.now(), told);
	reader().snapshot({ serverTime: "2036-01-01T00:00:00.000Z", rev: 1 });
	assert.equal(followed.now() >= Date.parse("2036-01-01T00:00:00.000Z"), true);
	reader().snapshot({ serverTime: "2026-11-27T10:00:01.000Z", rev: 2 });
	assert.equal(followed.now(), told);
	reader().state?.("waiting");
	reader().state?.("refused");
	assert.deepEqual(counts(), [1, 0, 1]);
});
