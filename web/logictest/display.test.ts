import assert from "node:assert/strict";
import { test } from "node:test";
import { preferredLanguages } from "../host/languages";
import { asTag, languageFor } from "../display/language";
import { olderStyle } from "../display/olderstyle";

const words = { en: "Waiting", de: "Wartet" };

test("a display speaks the language of its house, in the browser's region", () => {
	const german = { dir: "ltr", words: "Wartet" };
	assert.deepEqual(languageFor("de", ["en-GB"], words), { ...german, tag: "de", lang: "de" });
	assert.deepEqual(languageFor("de", ["en-GB", "de-AT"], words), { ...german, tag: "de-AT", lang: "de-AT" });
	const arabic = { tag: "ar", dir: "rtl", words: "Waiting", lang: "en" };
	assert.deepEqual(languageFor("ar", ["de"], words), arabic);
});

test("a display that does not know its house speaks the first language that it can", () => {
	const english = { tag: "en", dir: "ltr", words: "Waiting", lang: "en" };
	const austrian = { tag: "de-AT", dir: "ltr", words: "Wartet", lang: "de-AT" };
	assert.deepEqual(languageFor(undefined, ["fr", "de-AT", "en"], words), austrian);
	assert.deepEqual(languageFor(undefined, ["fr"], words), english);
	assert.deepEqual(languageFor(undefined, [], words), english);
});

test("what is kept as a language may be anything", () => {
	for (const text of ["de", "ckb", "ar-XB"]) assert.equal(asTag(text), text);
	for (const text of ["", "de_DE", "DE", "de-", "<b>", "x", undefined]) assert.equal(asTag(text), undefined);
});

test("what a browser prefers and is no language is left out", () => {
	assert.deepEqual(preferredLanguages(["en-US@posix", "de-AT", "c", "en"]), ["de-AT", "en"]);
});

test("styles for Chromium before 105 and before 99", () => {
	const css = "@layer a,b;@layer a{p{padding:4cqmin 2.5cqw}}@container all (max-aspect-ratio:1){b{top:1cqh}}";
	const media = "@media (max-aspect-ratio:1){b{top:1vh}}";
	assert.equal(olderStyle(css, true), `@layer a,b;@layer a{p{padding:4vmin 2.5vw}}${media}`);
	assert.equal(olderStyle(css, false), `@media all{p{padding:4vmin 2.5vw}}${media}`);
});
