import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWords, placeOf } from "../kit/folding";

test("a list is searched without marks and case, as the server searches", () => {
	for (const [text, typed] of [
		["Öffne das Tor", "offne"],
		["Offne", "ÖFF"],
		["O\u0308ffne", "öffne"],
		["Straße", "STRASSE"],
		["STRASSE", "straß"],
		["ΟΔΟΣ", "οδοσ"],
		["Ölmüller, Anna", " anna  olm "],
		["anything", " "],
	] as const)
		assert.equal(hasWords(text, typed), true, `${typed} in ${text}`);
	assert.equal(hasWords("Öffne", "effne"), false);
});

test("what was searched for is found as it is written", () => {
	for (const [text, typed, marked] of [
		["Das Öffnen", "offn", "Öffn"],
		["Das O\u0308ffnen", "ö", "O\u0308"],
		["Straße 4", "SS", "ß"],
		["Straße 4", "e 4", "e 4"],
		["Ende ö", "o", "ö"],
	] as const) {
		const place = placeOf(text, typed);
		assert.equal(place && text.slice(...place), marked, `${typed} in ${text}`);
	}
	assert.equal(placeOf("Öffne", " "), undefined);
	assert.equal(placeOf("Öffne", "x"), undefined);
});
