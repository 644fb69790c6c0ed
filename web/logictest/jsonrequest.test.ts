import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiError, fakeContext, jsonRequest } from "../sdk/narthex-sdk";

Object.defineProperty(globalThis, "navigator", { value: { onLine: true } }); // Node may not have it

const failureOf = (request: Promise<unknown>): Promise<ApiError> =>
	request.then(
		() => {
			throw new Error("it was answered");
		},
		(error: unknown) => error as ApiError,
	);

const answering = (response: () => Response) => fakeContext({ api: () => Promise.resolve(response()) });

test("JSON goes both ways, and an empty body is undefined", async () => {
	const asked: [string, RequestInit | undefined][] = [];
	const context = fakeContext({
		api: (path, init) => {
			asked.push([path, init]);
			return Promise.resolve(path === "/a" ? Response.json({ b: 1 }) : new Response(null, { status: 204 }));
		},
	});
	assert.deepEqual(await jsonRequest(context, "PUT", "/a", { c: 2 }), { b: 1 });
	assert.equal(await jsonRequest(context, "DELETE", "/d"), undefined);
	assert.deepEqual(asked, [
		["/a", { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"c":2}' }],
		["/d", { method: "DELETE" }],
	]);
});

test("everything else is one error with status, code and the wait", async () => {
	const limited = () =>
		Response.json({ code: "TOO_MANY_REQUESTS" }, { status: 429, headers: { "Retry-After": "7" } });
	for (const [response, status, code, retryAfter] of [
		[() => Response.json({ code: "CONFLICT" }, { status: 409 }), 409, "CONFLICT", undefined],
		[limited, 429, "TOO_MANY_REQUESTS", 7],
		[() => new Response("<html>", { status: 502 }), 502, "HTTP_502", undefined],
		[() => new Response("<html>"), 200, "MALFORMED", undefined],
		[() => Response.error(), 0, "HTTP_0", undefined],
	] as const) {
		const error = await failureOf(jsonRequest(answering(response), "GET", "/"));
		assert.deepEqual(
			[error.name, error.status, error.code, error.retryAfter],
			["ApiError", status, code, retryAfter],
		);
	}
});

test("an unmounted module's request is no error of the server's", async () => {
	const context = fakeContext({ api: () => Promise.reject(new DOMException("", "AbortError")) });
	assert.equal((await failureOf(jsonRequest(context, "GET", "/"))).name, "AbortError");
	const cut = fakeContext({ api: () => Promise.reject(new TypeError("fetch")) });
	const failure = await failureOf(jsonRequest(cut, "GET", "/"));
	assert.deepEqual([failure.name, failure.status, failure.code], ["ApiError", 0, "NETWORK"]);
});
