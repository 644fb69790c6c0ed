import assert from "node:assert/strict";
import { test } from "node:test";
import { languageFor } from "../display/language";

test("a display speaks the first language that it can", () => {
	const words = { en: "Waiting", de: "Wartet" };
	assert.deepEqual(languageFor(["fr", "de-AT", "en"], words), { tag: "de-AT", words: "Wartet" });
	assert.deepEqual(languageFor(["fr"], words), { tag: "en", words: "Waiting" });
	assert.deepEqual(languageFor([], words), { tag: "en", words: "Waiting" });
});
