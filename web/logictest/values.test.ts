import assert from "node:assert/strict";
import { test } from "node:test";
import { merged } from "../dashboard/app/document";
import { faultOf, readable, secretVariable, valueOf } from "../dashboard/screens/settings/values";

const key = (type: string, constraints: object = {}, more: object = {}) => ({
	key: "k",
	type,
	required: false,
	default: undefined,
	label: undefined,
	values: undefined,
	description: undefined,
	constraints: {
		minLength: undefined,
		maxLength: undefined,
		minimum: undefined,
		maximum: undefined,
		values: undefined,
		...constraints,
	},
	value: undefined,
	configured: false,
	...more,
});

test("the variable of a secret, as the server names it", () => {
	for (const [name, variable] of [
		["apiToken", "API_TOKEN"],
		["baseURL", "BASE_URL"],
		["s3Key", "S3_KEY"],
		["URLBase", "URL_BASE"],
		["linkSigningKey", "LINK_SIGNING_KEY"],
	] as const)
		assert.equal(secretVariable("on-air", name), `SERVICE_MODULE_SECRET__ON_AIR__${variable}`);
});

test("what the server would refuse is found before", () => {
	assert.deepEqual(faultOf(key("string", { minLength: 2 }), "🎵"), ["tooShort", { count: 2 }]);
	assert.deepEqual(faultOf(key("string", { maxLength: 1 }), "ab"), ["tooLong", { count: 1 }]);
	assert.equal(faultOf(key("string", { maxLength: 1 }), "🎵"), undefined);
	assert.deepEqual(faultOf(key("integer"), "3.5"), ["noInteger"]);
	assert.deepEqual(faultOf(key("integer"), 2 ** 60), ["noInteger"]);
	assert.deepEqual(faultOf(key("integer", { minimum: 4 }), 3), ["tooLow", { count: 4 }]);
	assert.deepEqual(faultOf(key("integer", { maximum: 4 }), 5), ["tooHigh", { count: 4 }]);
	assert.equal(faultOf(key("integer", { minimum: 4, maximum: 4 }), 4), undefined);
	assert.deepEqual(faultOf(key("url"), "ftp://example.org"), ["noUrl"]);
	assert.deepEqual(faultOf(key("url"), "https:example.org"), ["noUrl"]);
	assert.deepEqual(faultOf(key("enum", { values: ["a"] }), "b"), ["oneOf"]);
	assert.equal(faultOf(key("boolean"), false), undefined);
});

test("what is typed becomes a value of its type, or none", () => {
	assert.equal(valueOf(key("integer"), " -7 "), -7);
	assert.equal(valueOf(key("integer"), ""), undefined);
	assert.equal(valueOf(key("integer"), "7a"), "7a");
	assert.equal(valueOf(key("string"), ""), undefined);
	assert.equal(valueOf(key("string", {}, { default: "x" }), ""), "");
});

test("two people's changes come together, and what both changed is named", () => {
	const base = { a: 1, b: 1, c: 1, d: 1 };
	assert.deepEqual(merged(base, { a: 2, b: 1, c: 2, d: 1 }, { a: 1, b: 3, c: 3 }), {
		values: { a: 2, b: 3, c: 2 },
		conflicts: ["c"],
	});
	assert.deepEqual(merged({ a: 1 }, {}, { a: 2 }), { values: {}, conflicts: ["a"] });
	assert.deepEqual(merged({}, { a: 2 }, { a: 2 }), { values: { a: 2 }, conflicts: [] });
});

test("words of an enumeration as people read them", () => {
	assert.equal(readable("end_on_time"), "End on time");
	assert.equal(readable("_"), "_");
});
