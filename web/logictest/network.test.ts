import assert from "node:assert/strict";
import { test } from "node:test";
import { Network } from "../display/network";

/** Loads from a network whose response takes that many milliseconds, and returns whether it came. */
async function arrives(network: Network, takes: number, replaceable: boolean): Promise<boolean> {
	const { fetch, setTimeout } = globalThis;
	try {
		globalThis.setTimeout = ((run: () => void, after: number) => {
			if (after < takes) run();
			return 0;
		}) as unknown as typeof setTimeout;
		globalThis.fetch = (_, init) =>
			init?.signal?.aborted ? Promise.reject(new Error("late")) : Promise.resolve(new Response("page"));
		return (await network.load("/display/stage", replaceable)) !== undefined;
	} finally {
		Object.assign(globalThis, { fetch, setTimeout });
	}
}

test("a screen with nothing in its cache waits longer for a slow network, and gets its display", async () => {
	const network = new Network();
	assert.equal(await arrives(network, 20_000, false), false);
	assert.equal(await arrives(network, 20_000, false), true);
	assert.equal(await arrives(network, 20_000, false), false, "after a success the limit is the usual one");
	assert.equal(await arrives(network, 40_000, false), false);
});

test("a screen with a cached artifact does not wait twice for a network that has failed", async () => {
	const network = new Network();
	assert.equal(await arrives(network, 9_000, true), false);
	assert.equal(await arrives(network, 2_000, true), false);
	assert.equal(await arrives(network, 500, true), true);
	assert.equal(await arrives(network, 2_000, true), true);
});
