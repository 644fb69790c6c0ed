import { addRow, maxColumns, type Row, TableError } from "./rows";

/** How many bytes a part of a workbook may have when it is unpacked: a small file can hold any number. */
const maxPart = 16 << 20;

/** Whether a file is a workbook (.xlsx), or one of an Excel from before 2007, which is refused. */
export function isWorkbook(content: Uint8Array): boolean {
	const [a, b, c, d] = content;
	if (a === 0xd0 && b === 0xcf && c === 0x11 && d === 0xe0) throw unreadable();
	return a === 0x50 && b === 0x4b && c === 3 && d === 4;
}

const unreadable = () => new TableError("WORKBOOK_UNREADABLE");

/** The rows of a workbook's first sheet (ECMA-376, part 1, 18.3). */
export async function rowsOfWorkbook(content: Uint8Array<ArrayBuffer>): Promise<readonly Row[]> {
	const part = partsOf(content);
	const book = await xmlOf(part("xl/workbook.xml"));
	const relations = await xmlOf(part("xl/_rels/workbook.xml.rels"));
	const first = [...(named(book, "sheet")[0]?.attributes ?? [])];
	const id = first.find(({ localName }) => localName === "id")?.value;
	const target = named(relations, "Relationship").find((one) => one.getAttribute("Id") === id);
	const path = target?.getAttribute("Target") ?? "worksheets/sheet1.xml";
	const sheet = await xmlOf(part(path.startsWith("/") ? path.slice(1) : `xl/${path}`));
	const strings = part("xl/sharedStrings.xml");
	const shared = strings ? named(await xmlOf(strings), "si").map(textIn) : [];
	const rows: Row[] = [];
	for (const row of named(sheet, "row")) {
		const cells: string[] = [];
		for (const cell of [...row.children].filter(({ localName }) => localName === "c")) {
			const at = columnOf(cell.getAttribute("r"), cells.length);
			if (at >= maxColumns) throw new TableError("TOO_MANY");
			while (cells.length < at) cells.push("");
			const value = named(cell, "v")[0]?.textContent ?? "";
			const kind = cell.getAttribute("t");
			const text = kind === "s" ? (shared[Number(value)] ?? "") : kind === "inlineStr" ? textIn(cell) : value;
			cells[at] = text.trim().normalize();
		}
		addRow(rows, { line: Number(row.getAttribute("r") ?? 0) || rows.length + 1, cells });
	}
	return rows;
}

const named = (within: Document | Element, name: string): readonly Element[] => [
	...within.getElementsByTagNameNS("*", name),
];

/** The words of a string, without how its first letters are pronounced (rPh). */
const textIn = (within: Element): string =>
	named(within, "t").filter((one) => one.parentElement?.localName !== "rPh").map((one) => one.textContent)
		.join("");

/** The column of "AB12", from 0; the next one, if a cell does not say where it is. */
function columnOf(place: string | null, next: number): number {
	const letters = /^[A-Z]{1,3}/.exec(place ?? "")?.[0];
	if (letters === undefined) return next;
	return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

interface Part {
	readonly packed: Uint8Array<ArrayBuffer>;
	readonly method: number;
}

/** Finds the parts of a zip file by its directory at the end (APPNOTE 4.3). */
function partsOf(content: Uint8Array<ArrayBuffer>): (name: string) => Part | undefined {
	const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
	let end = content.length - 22;
	while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
	if (end < 0) throw unreadable();
	const parts = new Map<string, Part>();
	let at = view.getUint32(end + 16, true);
	try {
		for (let n = view.getUint16(end + 10, true); n > 0; n--) {
			const nameLength = view.getUint16(at + 28, true);
			const name = new TextDecoder().decode(content.subarray(at + 46, at + 46 + nameLength));
			const local = view.getUint32(at + 42, true);
			const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
			const packed = content.subarray(begin, begin + view.getUint32(at + 20, true));
			parts.set(name, { packed, method: view.getUint16(at + 10, true) });
			at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
		}
	} catch {
		throw unreadable(); // a place outside of the file
	}
	return (name) => parts.get(name);
}

async function xmlOf(part: Part | undefined): Promise<Document> {
	if (part === undefined || (part.method !== 0 && part.method !== 8)) throw unreadable();
	const text = new TextDecoder().decode(part.method === 0 ? part.packed : await unpacked(part.packed));
	const xml = new DOMParser().parseFromString(/<!DOCTYPE/i.test(text) ? "" : text, "application/xml");
	if (xml.getElementsByTagName("parsererror").length > 0) throw unreadable();
	return xml;
}

async function unpacked(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
	const pieces: Uint8Array<ArrayBuffer>[] = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read().catch(() => Promise.reject(unreadable()));
		if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
		if ((length += value.length) > maxPart) {
			await reader.cancel();
			throw unreadable();
		}
		pieces.push(value);
	}
}
