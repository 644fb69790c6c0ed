/**
 * QR codes (ISO/IEC 18004) for the address on the pairing screen: bytes, correction level M, versions 1 to 6,
 * so at most 106 bytes. A longer address has no code.
 */

/** Of each version: data bytes in all, correction bytes of each block, and blocks. */
const versions = [
	{ data: 16, correction: 10, blocks: 1 },
	{ data: 28, correction: 16, blocks: 1 },
	{ data: 44, correction: 26, blocks: 1 },
	{ data: 64, correction: 18, blocks: 2 },
	{ data: 86, correction: 24, blocks: 2 },
	{ data: 108, correction: 16, blocks: 4 },
] as const;

type Version = (typeof versions)[number];
/** Rows of modules; true is dark. */
export type Matrix = boolean[][];

/** The code of a text, or undefined when the text is too long. */
export function qrCode(text: string): Matrix | undefined {
	const bytes = new TextEncoder().encode(text);
	const index = versions.findIndex(({ data }) => bytes.length + 2 <= data);
	const version = versions[index];
	if (version === undefined) return undefined;
	const words = interleave(withHeader(bytes, version.data), version);
	const candidates = masks.map((_, mask) => draw(index + 1, words, mask));
	const penalties = candidates.map(penalty);
	return candidates[penalties.indexOf(Math.min(...penalties))];
}

/** Mode, length, the bytes, an end of four bits, and padding up to the version's data bytes. */
function withHeader(bytes: Uint8Array, size: number): number[] {
	const nibbles = [4, bytes.length >> 4, bytes.length & 15];
	for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
	nibbles.push(0);
	const words: number[] = [];
	for (let i = 0; i < nibbles.length; i += 2) words.push((nibbles[i]! << 4) | (nibbles[i + 1] ?? 0));
	for (let i = 0; words.length < size; i++) words.push(i % 2 === 0 ? 0xec : 0x11);
	return words;
}

/** Deals data into blocks, appends the correction bytes of each, and takes them in turn. */
function interleave(data: readonly number[], version: Version): number[] {
	const size = version.data / version.blocks;
	const blocks = Array.from({ length: version.blocks }, (_, i) => data.slice(i * size, (i + 1) * size));
	const corrections = blocks.map((block) => correctionOf(block, version.correction));
	const turns = (rows: number[][]) => rows[0]!.flatMap((_, i) => rows.map((row) => row[i]!));
	return [...turns(blocks), ...turns(corrections)];
}

/** Multiplication in GF(256) modulo x^8+x^4+x^3+x^2+1. */
function multiply(a: number, b: number): number {
	let product = 0;
	for (let bit = 7; bit >= 0; bit--) {
		product = (product << 1) ^ ((product >> 7) * 0x11d);
		product ^= ((b >> bit) & 1) * a;
	}
	return product;
}

/** The Reed-Solomon remainder of a block. */
function correctionOf(block: readonly number[], count: number): number[] {
	let generator = [1];
	for (let i = 0, root = 1; i < count; i++, root = multiply(root, 2)) {
		const next = [...generator, 0];
		generator.forEach((coefficient, at) => (next[at + 1]! ^= multiply(coefficient, root)));
		generator = next;
	}
	const rest = [...block, ...new Array<number>(count).fill(0)];
	block.forEach((_, at) => {
		const factor = rest[at]!;
		generator.forEach((coefficient, i) => (rest[at + i]! ^= multiply(coefficient, factor)));
	});
	return rest.slice(block.length);
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
	(x, y) => (x + y) % 2 === 0,
	(_, y) => y % 2 === 0,
	(x) => x % 3 === 0,
	(x, y) => (x + y) % 3 === 0,
	(x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
	(x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
	(x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
	(x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(version: number, words: readonly number[], mask: number): Matrix {
	const size = 17 + 4 * version;
	const cells: (boolean | undefined)[][] = Array.from({ length: size }, () => new Array(size).fill(undefined));
	const set = (x: number, y: number, dark: boolean) => {
		if (x >= 0 && y >= 0 && x < size && y < size) cells[y]![x] = dark;
	};
	const square = (centreX: number, centreY: number, light: readonly number[], reach: number) => {
		for (let y = -reach; y <= reach; y++)
			for (let x = -reach; x <= reach; x++)
				set(centreX + x, centreY + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
	};
	for (let i = 8; i < size - 8; i++) {
		set(i, 6, i % 2 === 0);
		set(6, i, i % 2 === 0);
	}
	for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) square(x, y, [2, 4], 4);
	if (version > 1) square(size - 7, size - 7, [1], 2);
	drawFormat(size, mask, set);
	fill(cells, words, mask);
	return cells as Matrix;
}

/** Correction level and mask, twice, with their own check bits. */
function drawFormat(size: number, mask: number, set: (x: number, y: number, dark: boolean) => void): void {
	let rest = mask; // level M is 00
	for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
	const bits = ((mask << 10) | rest) ^ 0x5412;
	for (let i = 0; i < 15; i++) {
		const dark = ((bits >> i) & 1) === 1;
		const skip = i < 6 ? i : i < 8 ? i + 1 : undefined; // over the timing line
		if (skip !== undefined) set(8, skip, dark);
		else set(i === 8 ? 7 : 14 - i, 8, dark);
		if (i < 8) set(size - 1 - i, 8, dark);
		else set(8, size - 15 + i, dark);
	}
	set(8, size - 8, true);
}

/** Puts the bits where nothing is yet: in columns of two, up and down in turn, from the right. */
function fill(cells: (boolean | undefined)[][], words: readonly number[], mask: number): void {
	const size = cells.length;
	let bit = 0;
	let up = true;
	for (let right = size - 1; right > 0; right -= 2, up = !up) {
		if (right === 6) right = 5;
		for (let i = 0; i < size; i++) {
			const y = up ? size - 1 - i : i;
			for (const x of [right, right - 1]) {
				if (cells[y]![x] !== undefined) continue;
				const word = words[bit >> 3] ?? 0;
				const dark = ((word >> (7 - (bit & 7))) & 1) === 1;
				cells[y]![x] = dark !== masks[mask]!(x, y);
				bit++;
			}
		}
	}
}

/** How hard a code is to read, by the standard's four rules. */
function penalty(matrix: Matrix): number {
	const columns = matrix.map((_, x) => matrix.map((row) => row[x]!));
	let points = 0;
	for (const line of [...matrix, ...columns]) {
		const text = line.map(Number).join("");
		for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
		points += 40 * (text.match(/(?=10111010000|00001011101)/g) ?? []).length;
	}
	let dark = 0;
	matrix.forEach((row, y) =>
		row.forEach((cell, x) => {
			dark += Number(cell);
			const next = matrix[y + 1];
			if (next && row[x + 1] === cell && next[x] === cell && next[x + 1] === cell) points += 3;
		}),
	);
	return points + 10 * Math.floor(Math.abs((dark * 100) / matrix.length ** 2 - 50) / 5);
}

/** A path that paints the dark modules, one unit each. */
export function pathOf(matrix: Matrix): string {
	return matrix
		.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
		.join("");
}
