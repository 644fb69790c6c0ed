import assert from "node:assert/strict";
import { test } from "node:test";
import { listOf, object, orNull, ShapeError, text, yesOrNo } from "../dashboard/data/shape";

const shape = object({ name: text, on: yesOrNo, tags: listOf(text), note: orNull(text) });

test("what a later server adds is left out", () => {
	assert.deepEqual(shape({ name: "a", on: true, tags: ["x"], note: null, more: 1 }), {
		name: "a",
		on: true,
		tags: ["x"],
		note: null,
	});
});

test("another shape is refused", () => {
	const good = { name: "a", on: true, tags: [], note: "n" };
	for (const bad of [
		null,
		undefined,
		"text",
		7,
		[],
		{},
		{ ...good, name: 1 },
		{ ...good, on: "true" },
		{ ...good, tags: {} },
		{ ...good, tags: [1] },
		{ ...good, note: 0 },
	]) {
		assert.throws(() => shape(bad), ShapeError, JSON.stringify(bad));
	}
});
