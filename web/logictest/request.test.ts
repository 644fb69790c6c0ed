import assert from "node:assert/strict";
import { test } from "node:test";
import { nothing, request, write } from "../dashboard/data/request";
import { ServerClock } from "../host/clock";

test("a status decides something only if the platform says it", async () => {
	const real = globalThis.fetch;
	try {
		for (const [status, body, expected] of [
			[401, '{"code":"AUTHENTICATION_REQUIRED"}', [401, "AUTHENTICATION_REQUIRED"]],
			[401, "<html>Sign in to the network</html>", [0, "HTTP_401"]],
			[403, "", [0, "HTTP_403"]],
			[404, '{"code":7}', [0, "HTTP_404"]],
			[502, "<html>", [502, "HTTP_502"]],
		] as const) {
			globalThis.fetch = () => Promise.resolve(new Response(body, { status }));
			const result = await request("https://example.org/x", write("POST", {}), nothing, new ServerClock());
			assert.deepEqual(result.ok ? [] : [result.status, result.code], expected, `${status} ${body}`);
		}
	} finally {
		globalThis.fetch = real;
	}
});
