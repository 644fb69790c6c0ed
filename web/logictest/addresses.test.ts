import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesIn } from "../dashboard/screens/people/addresses";

test("a list of addresses, however it is written", () => {
	const emails = (list: string) => addressesIn(list).found.map(({ email }) => email);
	for (const list of [
		"a@example.org\nb@example.org",
		"a@example.org, b@example.org;",
		" a@example.org\tb@example.org\r\n",
		"A@Example.org a@example.org b@example.org",
	])
		assert.deepEqual(emails(list), ["a@example.org", "b@example.org"], list);
	assert.deepEqual(addressesIn(" \n,; "), { found: [], wrong: [] });
});

test("names as mail programs write them", () => {
	assert.deepEqual(addressesIn('"Reader 4" <reader4@example.org>; Tea 5 <tea5@example.org>').found, [
		{ email: "reader4@example.org", name: "Reader 4" },
		{ email: "tea5@example.org", name: "Tea 5" },
	]);
	assert.deepEqual(addressesIn('"Five, Tea" <tea5@example.org>').found, [
		{ email: "tea5@example.org", name: "Five, Tea" },
	]);
});

test("what is no address is told apart", () => {
	const { found, wrong } = addressesIn("reader4@example.org, sound2@example\nnobody <oops>");
	assert.deepEqual(found, [{ email: "reader4@example.org" }]);
	assert.deepEqual(wrong, ["sound2@example", "oops"]);
});
