import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenLanguage, languageFor, locales, say } from "../dashboard/words/language";
import { english, type WordId } from "../dashboard/words/english";

test("the first language that there is, in its region", () => {
	const tag = (...wishes: string[]) => languageFor(wishes).tag;
	assert.equal(tag("fr-FR", "de-AT", "en"), "de-AT");
	assert.equal(tag("en-GB"), "en-GB");
	assert.equal(tag("ja"), "en");
	assert.equal(tag(), "en");
	assert.equal(tag("ar"), "en", "the mirrored one is for tests alone");
	assert.equal(chosenLanguage("de", ["en-GB", "de-CH"]).tag, "de-CH");
	assert.equal(chosenLanguage("de", ["en-GB"]).tag, "de");
	assert.equal(chosenLanguage("no such", ["en-GB"]).tag, "en-GB");
	assert.equal(chosenLanguage("ar-XB", ["en-GB"]).dir, "rtl");
});

test("every language has every word, with the same gaps", () => {
	const gaps = (entry: unknown): string[] =>
		[...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();
	for (const { tag, words } of locales) {
		for (const [id, entry] of Object.entries(english))
			assert.deepEqual(gaps(words[id as WordId]), gaps(entry), `${tag} ${id}`);
	}
});

test("words are filled in", () => {
	const en = languageFor(["en"]);
	assert.equal(say(en, "changesWait", { count: 1 }), "1 change waits for a restart.");
	assert.equal(say(en, "changesWait", { count: 1200 }), "1,200 changes wait for a restart.");
	assert.equal(
		say(languageFor(["de"]), "changesWait", { count: 1200 }),
		"1.200 Änderungen warten auf einen Neustart.",
	);
	assert.equal(say(en, "stopsNext", { module: "{module} $&" }), "{module} $& stops at the next restart.");
});
