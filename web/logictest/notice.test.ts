import assert from "node:assert/strict";
import { test } from "node:test";
import { boxOf, mayBleed } from "../../modules/announcements/display-src/pictures";
import { languageOf } from "../../modules/announcements/display-src/textlanguage";

test("a notice is hyphenated in its own language, if that can be told", () => {
	for (const [house, text, wanted] of [
		["en-GB", "Kirchenvorstandswahlbenachrichtigungen liegen im Gemeindebüro", "de"],
		["en-GB", "Gemeindeversammlung", "de"],
		["en-GB", "Welcome", "en-GB"],
		["en-GB", "Coffee and tea are in the foyer.", "en-GB"],
		["de-AT", "Kaffee und Tee im Foyer.", "de-AT"],
		["de-AT", "Carol singing on the green, with punch", "en"],
		["de", "Bach", "de"],
		["de", "أهلا وسهلا بكم في الكنيسة", "ar"],
		["sv", "Kaffe och te för alla", "sv"],
	] as const) {
		assert.equal(languageOf(text, house), wanted, text);
	}
});

test("a picture covers a slide if enough of it is seen, and stands beside the words otherwise", () => {
	const wide = { width: 1920, height: 1080 };
	const upright = { width: 1080, height: 1920 };
	const film = 16 / 9;
	const poster = 3 / 4;
	assert.deepEqual([film, 4 / 3, poster].map((ratio) => mayBleed(ratio, wide)), [true, true, false]);
	assert.deepEqual([film, poster, 9 / 16].map((ratio) => mayBleed(ratio, upright)), [false, true, true]);
	assert.deepEqual(boxOf("bleed", film, wide), { ...wide, covered: true });
	assert.deepEqual(boxOf("alone", poster, wide), { ...wide, covered: false });
	const beside = boxOf("beside", poster, wide);
	assert.equal(beside.covered && beside.width <= wide.width / 2 && beside.height === wide.height, true);
	const above = boxOf("above", film, upright);
	assert.equal(above.covered && above.height <= upright.height / 2 && above.width === upright.width, true);
});
