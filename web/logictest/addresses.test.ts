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
	const twice = "Anna <a@example.org>\nBert <A@example.org>"; // the first name counts
	assert.deepEqual(addressesIn(twice).found, [{ email: "a@example.org", name: "Anna" }]);
	assert.deepEqual(addressesIn(" \n,; "), { found: [], wrong: [] });
});

test("names as mail programs write them", () => {
	assert.deepEqual(addressesIn('"Reader 4" <reader4@example.org>; Tea 5 <tea5@example.org>').found, [
		{ email: "reader4@example.org", name: "Reader 4" },
		{ email: "tea5@example.org", name: "Tea 5" },
	]);
	assert.deepEqual(addressesIn('"Five, Tea" <tea5@example.org>').found, [
		{ email: "tea5@example.org", name: "Tea Five" },
	]);
});

test("what is no address is told apart", () => {
	const { found, wrong } = addressesIn("reader4@example.org, sound2@example\nnobody <oops>");
	assert.deepEqual(found, [{ email: "reader4@example.org" }]);
	assert.deepEqual(wrong, [
		{ text: "sound2@example", start: 21, line: 1 },
		{ text: "nobody <oops>", start: 36, line: 2 },
	]);
});

test("rows of a spreadsheet, with and without headings", () => {
	const anna = { email: "anna@example.org", name: "Anna Miller" };
	const bert = { email: "bert@example.org", name: "Bert Smith" };
	for (const list of [
		"Nachname\tVorname\tE-Mail\nMiller\tAnna\tanna@example.org\nSmith\tBert\tbert@example.org\n",
		"First name\tSurname\tPhone\tE-mail\nAnna\tMiller\t030 1\tanna@example.org\n" +
			"Bert\tSmith\t\tbert@example.org",
		"Anna Miller\tanna@example.org\r\nBert Smith\tbert@example.org\r\n",
		"Name;Mail\nAnna Miller;anna@example.org\nBert Smith;bert@example.org",
		"Miller, Anna <anna@example.org>\nSmith, Bert <bert@example.org>",
		"Anna Miller <anna@example.org>, Bert Smith <bert@example.org>",
		"Anna Miller anna@example.org\nBert Smith bert@example.org",
	])
		assert.deepEqual(addressesIn(list), { found: [anna, bert], wrong: [] }, list);
});

test("a row without an address is told with its line, and the rest is read", () => {
	const { found, wrong } = addressesIn("Name\tE-mail\nAnna\tanna@example.org\nBert\t\nZoe\tzoe@example.org");
	assert.deepEqual(
		found.map(({ name }) => name),
		["Anna", "Zoe"],
	);
	assert.deepEqual(wrong, [{ text: "Bert", start: 34, line: 3 }]);
});
