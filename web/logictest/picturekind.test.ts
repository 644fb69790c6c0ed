import assert from "node:assert/strict";
import { test } from "node:test";
import { kindOf } from "../../modules/announcements/ui-src/picturekind";

const bytes = (...parts: readonly (string | readonly number[])[]) =>
	Uint8Array.from(
		parts.flatMap((part) => (typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : part)),
	);
const chunk = (kind: string, length: number): (string | number[])[] => [
	[0, 0, 0, length], kind, Array.from({ length: length + 4 }, () => 0),
];
const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0];
const gif = (...frames: readonly number[][]) =>
	bytes("GIF89a", [1, 0, 1, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255], [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
		...frames, [0x3b]);

test("a picture that moves and one in the format of phones are known by their content", () => {
	const png = [[0x89], "PNG\r\n\x1a\n", ...chunk("IHDR", 13)] as const;
	for (const [what, content, want] of [
		["a GIF with one frame", gif(frame), "other"],
		["a GIF with two frames", gif(frame, frame), "moving"],
		["a GIF that is cut off", gif(frame, frame).subarray(0, 30), "other"],
		["a PNG", bytes(...png, ...chunk("IDAT", 5)), "other"],
		["a moving PNG", bytes(...png, ...chunk("acTL", 8), ...chunk("IDAT", 5)), "moving"],
		["a PNG whose pixels have the name", bytes(...png, ...chunk("IDAT", 5), ...chunk("acTL", 8)), "other"],
		["a WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0x10]), "other"],
		["a moving WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0x12]), "moving"],
		["of an iPhone", bytes([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0]), "phone"],
		["of another phone", bytes([0, 0, 0, 24], "ftypmif1", [0, 0, 0, 0]), "phone"],
		["an AVIF", bytes([0, 0, 0, 24], "ftypavif", [0, 0, 0, 0]), "other"],
		["nothing", bytes(), "other"],
		["a JPEG", bytes([0xff, 0xd8, 0xff]), "other"],
	] as const) {
		assert.equal(kindOf(content), want, what);
	}
});
