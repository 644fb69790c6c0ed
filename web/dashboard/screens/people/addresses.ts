import { nameError } from "../../../kit/names";

/** A person in a list that was typed or pasted. */
export interface Addressee {
	readonly email: string;
	/** The name in the list: "Reader 4 <reader4@example.org>". */
	readonly name?: string;
}

/** A line, or a part of it, that cannot be read. */
export interface Unread {
	readonly text: string;
	/** Where it is in the list. */
	readonly start: number;
	readonly line: number;
}

export interface Addresses {
	/** Each address once, in the order of the list. */
	readonly found: readonly Addressee[];
	readonly wrong: readonly Unread[];
}

/** This only catches typing errors; the server checks the full syntax. */
export const isAddress = (text: string): boolean => address.test(text);

const address = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;

/** What the columns of a spreadsheet are called. */
const headings = {
	email: /^(e-?mail|mail|e-?mail[- ]?(address|adresse)|address|adresse)$/i,
	first: /^(first|given)[ -]?name$|^(vorname|rufname)$/i,
	last: /^(last|family)[ -]?name$|^(surname|nachname|familienname)$/i,
	name: /^(full[ -]?)?name$/i,
};
type Column = keyof typeof headings;

/**
 * The addresses in a list, as a person would read it: one per line, or separated by commas, semicolons or
 * spaces; with names as in mail programs ("Surname, First <address>", too); or rows that were copied from a
 * spreadsheet, with or without a row of headings.
 */
export function addressesIn(list: string): Addresses {
	const found = new Map<string, Addressee>();
	const wrong: Unread[] = [];
	const seen = new Set<string>();
	let columns: readonly (Column | undefined)[] | undefined;
	let start = 0;
	for (const [index, text] of list.split("\n").entries()) {
		const take = ({ email, name }: Addressee) => {
			if (name !== undefined && nameError(name, 200) !== undefined) return refuse(name);
			const key = email.toLowerCase();
			if (!found.has(key)) found.set(key, name ? { email: key, name } : { email: key });
		};
		const refuse = (part: string) => {
			const trimmed = part.trim();
			if (!/[\p{L}\d]/u.test(trimmed) || seen.has(trimmed)) return;
			seen.add(trimmed);
			wrong.push({ text: trimmed, start: start + text.indexOf(trimmed), line: index + 1 });
		};
		const headed = found.size === 0 && columns === undefined ? headingsIn(text) : undefined;
		if (headed !== undefined) columns = headed;
		else readLine(text, columns, take, refuse);
		start += text.length + 1;
	}
	return { found: [...found.values()], wrong };
}

type Take = (addressee: Addressee) => void;
type Refuse = (part: string) => void;

function readLine(
	text: string,
	columns: readonly (Column | undefined)[] | undefined,
	take: Take,
	refuse: Refuse,
): void {
	if (!text.includes("@")) return refuse(text);
	if (text.includes("<")) return readMailboxes(text, take, refuse);
	const separator = separatorIn(text);
	const cells = text.split(separator).map(unquoted);
	const at = cells.findIndex((cell) => address.test(cell));
	const single = cells.filter((cell) => cell.includes("@")).length === 1;
	if (at >= 0 && single && cells.length > 1) {
		return take({ email: cells[at] ?? "", name: nameIn(cells, at, columns, text) });
	}
	for (const part of text.split(/[\t;,]/)) readWords(part, take, refuse);
}

/** Words without a separator: addresses, or a name and its address. */
function readWords(text: string, take: Take, refuse: Refuse): void {
	const words = text.split(/\s+/).filter((word) => word !== "");
	const addresses = words.filter((word) => address.test(word));
	const others = words.filter((word) => !address.test(word));
	if (addresses.length === 1 && others.every((word) => !word.includes("@"))) {
		return take({ email: addresses[0] ?? "", name: others.join(" ") });
	}
	for (const email of addresses) take({ email });
	if (addresses.length === 0) refuse(text); // an empty text is no entry
	else for (const word of others) refuse(word);
}

/** The mailboxes of a mail program: `Anna <anna@example.org>, "Miller, Bert" <bert@example.org>`. */
function readMailboxes(text: string, take: Take, refuse: Refuse): void {
	let rest = text;
	for (const mailbox of text.matchAll(/((?:"[^"]*"|[^<>;"])*)<([^<>]*)>/g)) {
		const email = (mailbox[2] ?? "").trim();
		const parts = (mailbox[1] ?? "").match(/(?:"[^"]*"|[^,"])+/g) ?? [];
		const names: string[] = [];
		for (const part of parts.map(unquoted)) {
			if (address.test(part)) take({ email: part });
			else if (part !== "") names.push(part);
		}
		// More than a surname and a first name are entries of their own.
		for (const part of names.splice(0, names.length - 2)) refuse(part);
		const quoted = /^(.*), (.*)$/.exec(names.length === 1 ? (names[0] ?? "") : "");
		const name = quoted ? `${quoted[2]} ${quoted[1]}` : [...names].reverse().join(" ");
		if (address.test(email)) take({ email, name });
		else refuse(mailbox[0]);
		rest = rest.replace(mailbox[0], ",");
	}
	for (const part of rest.split(/[;,]/)) if (part.trim() !== "") readWords(part, take, refuse);
}

/** The name in a row, by the headings, or else what stands beside the address. */
function nameIn(
	cells: readonly string[],
	at: number,
	columns: readonly (Column | undefined)[] | undefined,
	text: string,
): string {
	const of = (column: Column): string => cells[columns?.indexOf(column) ?? -1] ?? "";
	if (columns?.some((column) => column !== undefined && column !== "email")) {
		return of("name") || [of("first"), of("last")].filter((part) => part !== "").join(" ");
	}
	const isName = (cell: string) => /\p{L}/u.test(cell) && !/\d/.test(cell);
	const names = cells.filter((cell, index) => index !== at && isName(cell)).slice(0, 2);
	return (separatorIn(text) === "," && text.includes(", ") ? [...names].reverse() : names).join(" ");
}

/** The columns that a row of headings names; undefined if it is no such row. */
function headingsIn(text: string): readonly (Column | undefined)[] | undefined {
	const known = Object.keys(headings) as Column[];
	const cells = text.split(separatorIn(text)).map(unquoted);
	const columns = cells.map((cell) => known.find((column) => headings[column].test(cell)));
	return columns.includes("email") ? columns : undefined;
}

const separatorIn = (text: string): string => ["\t", ";"].find((one) => text.includes(one)) ?? ",";

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, "$2").trim();
