import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Catalogue, type Entries, type Fillings, say } from "../dashboard/words/catalogue";
import { chosenLanguage, languageFor } from "../dashboard/words/language";
import { w } from "../dashboard/screens/modules/words";
import { t } from "../dashboard/words/words";

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

/** The catalogues of all screens, and the one that they share. */
async function catalogues(): Promise<[string, Catalogue<Entries>][]> {
	const found: [string, Catalogue<Entries>][] = [["shared", t.catalogue]];
	for (const name of readdirSync("web/dashboard/screens")) {
		if (name.includes(".")) continue;
		const { w } = await import(`../dashboard/screens/${name}/words.ts`);
		found.push([name, w.catalogue]);
	}
	return found;
}

test("every language has every word, with the same gaps", async () => {
	const gaps = (entry: unknown): string[] =>
		[...new Set(JSON.stringify(entry).match(/\{\w+\}/g) ?? [])].sort();
	for (const [screen, { en, ...others }] of await catalogues()) {
		for (const [language, words] of Object.entries(others)) {
			assert.deepEqual(Object.keys(words).sort(), Object.keys(en).sort(), `${screen} in ${language}`);
			for (const [id, entry] of Object.entries(en))
				assert.deepEqual(gaps(words[id]), gaps(entry), `${screen} ${id} in ${language}`);
		}
	}
});

test("a number and its noun have a form for one", () => {
	// A list that is shown in part, and repetitions, are never of one; calls have no noun.
	const without = /^(firstMembers|subMore|times|timesBetween|nth_|every|tooManyGrants|calls|invitedOf)/;
	const files = [
		...readdirSync("web/dashboard/screens").map((name) => `web/dashboard/screens/${name}/words.ts`),
		...["english", "german"].map((name) => `web/dashboard/words/${name}.ts`),
		...readdirSync("modules").map((name) => `modules/${name}/ui-src/words.ts`),
	].filter((file) => existsSync(file));
	assert.equal(files.length > 15, true);
	for (const file of files) {
		for (const [, id = "", text] of readFileSync(file, "utf8").matchAll(/^\t+(\w+):\s*"([^"]*)",$/gm)) {
			if (id === "one" || id === "other" || without.test(id)) continue;
			assert.equal(/\{count\} \p{L}{2}/u.test(text ?? ""), false, `${id} in ${file}`);
		}
	}
});

test("words are filled in", () => {
	const filled = (wish: string, id: keyof typeof w.catalogue.en, fillings: Fillings) =>
		say(w.catalogue, languageFor([wish]), id, fillings);
	assert.equal(filled("en", "changesWait", { count: 1 }), "1 change waits for a restart.");
	assert.equal(filled("en", "changesWait", { count: 1200 }), "1,200 changes wait for a restart.");
	assert.equal(filled("de", "changesWait", { count: 1200 }), "1.200 Änderungen warten auf einen Neustart.");
	assert.equal(filled("en", "stopsNext", { module: "{module} $&" }), "{module} $& stops at the next restart.");
});
