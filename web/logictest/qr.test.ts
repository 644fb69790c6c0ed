import assert from "node:assert/strict";
import { test } from "node:test";
import { languageFor } from "../display/language";
import { pathOf, qrCode } from "../display/qr";

/** The code of an address, as another encoder (lean-qr 2.7.4) draws it with the same mask. */
const known = [
	"#######.#..##...#.###..#..#######",
	"#.....#.#..##.#.##..#..##.#.....#",
	"#.###.#..#######..###.##..#.###.#",
	"#.###.#.#.........##......#.###.#",
	"#.###.#...###...###..##...#.###.#",
	"#.....#..#.#.#.##.#...#...#.....#",
	"#######.#.#.#.#.#.#.#.#.#.#######",
	"........##.....#####...##........",
	"#.##.###......####...##...#..#.##",
	".##.#.....#.##...#####.#..##.##.#",
	".#....#.##...#..#.#.##.#.#####.##",
	".##.#...#####..###.#..##...#.#...",
	"#.##..#...#...###...#....#.###..#",
	"..###..#.#.#.##.....###....#..##.",
	".#.#..###..#..#..#####..#.#...#..",
	".##.##..#..#..##..#..#.#.###..#..",
	"#....##...###.....#..##.###.###..",
	".#####..##.....##...#######.##.##",
	"##.#..####....###.#.##...#.##.##.",
	".#..#......##.#####...#####.#..##",
	"#.#...#.####...##....##....#.##.#",
	"##..##....#..#####..#####.#..#..#",
	"..##.###.#...###..###.###.###.###",
	".###....###.#.##..#.#..#..#.##...",
	"#.#.####..#.###..#.#..#.######...",
	"........###...##..##..#.#...##...",
	"#######.#...###..####.###.#.#....",
	"#.....#.##.#.#..###..####...###..",
	"#.###.#...#.#.#.###.##.######.###",
	"#.###.#.#..##...#..#.#.....#....#",
	"#.###.#.#.####.####.##....##.#...",
	"#.....#...#...#..#.##...##.##...#",
	"#######.##.####.####.#.#.##.#.#..",
];

test("a QR code is the standard's", () => {
	const drawn = qrCode("https://church.example.org/#/admin/screens/482913") ?? [];
	assert.deepEqual(
		drawn.map((row) => row.map((dark) => (dark ? "#" : ".")).join("")),
		known,
	);
	assert.equal(pathOf([[true, false], [false, true]]), "M0 0h1v1h-1zM1 1h1v1h-1z");
});

test("a code grows with its text, up to the longest that there is", () => {
	const sizes = [1, 14, 15, 26, 42, 62, 84, 85, 106].map((length) => qrCode("x".repeat(length))?.length);
	assert.deepEqual(sizes, [21, 21, 25, 25, 29, 33, 37, 41, 41]);
	assert.equal(qrCode("x".repeat(107)), undefined);
	assert.equal(qrCode("\u00e9".repeat(54)), undefined); // bytes count, not characters
});

test("a display speaks the first language that it can", () => {
	const words = { en: "Waiting", de: "Wartet" };
	assert.deepEqual(languageFor(["fr", "de-AT", "en"], words), { tag: "de-AT", words: "Wartet" });
	assert.deepEqual(languageFor(["fr"], words), { tag: "en", words: "Waiting" });
	assert.deepEqual(languageFor([], words), { tag: "en", words: "Waiting" });
});
