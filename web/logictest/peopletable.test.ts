import assert from "node:assert/strict";
import { test } from "node:test";
import { invitedIn } from "../dashboard/screens/people/table/invited";
import { rowsOf, textOf } from "../dashboard/screens/people/table/rows";

const bytes = (text: string) => new TextEncoder().encode(text);
const latin = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)));
const utf16 = (text: string) => {
	const pairs = [...text].flatMap((one) => [one.charCodeAt(0) & 255, one.charCodeAt(0) >> 8]);
	return Uint8Array.from([0xff, 0xfe, ...pairs]);
};

const read = (content: Uint8Array, chosen?: string) => {
	const { people, problems, skipped = [] } = invitedIn(rowsOf(textOf(content).text), chosen);
	return [
		...people.map(({ email, name = "" }) => `${email} ${name}`.trim()),
		...skipped.map(({ line, code, detail = "" }) => `${line} ${code} ${detail}`.trim()),
		...problems.map(({ code }) => code),
	];
};

test("a table of people is read as the programs write it, and its bad rows are named", () => {
	const both = ["ada@example.org Ada Lovelace", "ben@example.org Ben Öz"];
	for (const [program, content, want] of [
		[
			"Planning Center",
			bytes(
				"Remote ID,Given Name,First Name,Nickname,Last Name,Home Email,Work Email\n" +
					"1,Augusta,Ada,,Lovelace,ada@example.org,\n2,,Ben,,Öz,,Ben@Example.org\n3,,Cleo,,Park,,\n",
			),
			[...both, "4 EMAIL_MISSING Cleo Park"],
		],
		[
			"ChurchTools",
			bytes(
				'"Id";"Vorname";"Nachname";"E-Mail";"Status"\r\n"1";"Ada";"Lovelace";"ada@example.org";"Mitglied"\r\n' +
					'"2";"Ben";"Öz";"ben@example.org";""\r\n"3";"Cara";"Pohl";"cara at example.org";""\r\n',
			),
			[...both, "4 EMAIL_INVALID cara at example.org"],
		],
		[
			"ChurchSuite",
			bytes(
				"first_name,last_name,email,mobile,tags\nAda,Lovelace,ada@example.org,,\n\nBen,Öz,ben@example.org,,\n" +
					"Ben,Öz,BEN@example.org,,\n",
			),
			[...both, "5 TWICE ben@example.org"],
		],
		[
			"Elvanto",
			bytes(
				"Member ID,First Name,Preferred Name,Last Name,Email,Mobile\n1,Augusta,Ada,Lovelace,ada@example.org,\n" +
					'2,Ben,,"Öz",ben@example.org,"a\nb"\n3,Ed,,"x\u0007",ed@example.org,\n',
			),
			[...both, "5 NAME_INVALID Ed x\u0007"],
		],
		[
			"German Excel",
			latin(
				"sep=;\r\nName;Vorname;Mailadresse\r\nLovelace;Ada;ada@example.org\r\n" +
					"\xd6z;Ben;ben@example.org\r\n;;\r\n",
			),
			both,
		],
		[
			"Excel's Unicode text, with a title",
			utf16(
				"Helpers 2026\t\t\nFull Name\tE-mail Address\nAda Lovelace\tada@example.org\n" +
					"Ben Öz\tben@example.org",
			),
			both,
		],
		[
			"an address book",
			bytes("Display Name,Primary Email\nAda Lovelace,Ada <ada@example.org>\n"),
			both.slice(0, 1),
		],
		["only addresses", bytes("E-Mail\nada@example.org\n"), ["ada@example.org"]],
		["a quote that is never closed", bytes('name,email\n"Ada,ada@example.org\nB,b@example.org\n'), [
			'ada@example.org "Ada',
			"b@example.org B",
		]],
		["unknown headings", bytes("Wer,Wohin\nAda,ada@example.org\n"), ["COLUMNS_UNKNOWN"]],
		["headings alone", bytes("name,email\n"), ["EMPTY"]],
		["nothing", bytes(""), ["EMPTY"]],
	] as const) {
		assert.deepEqual(read(content), want, program);
	}
	assert.deepEqual(read(bytes("Wer,Wohin\nAda,ada@example.org\n"), "above:1,name:0,email:1"), [
		"ada@example.org Ada",
	]);
	assert.deepEqual(read(bytes("Ada,ada@example.org\n"), "above:0,name:0,email:1"), ["ada@example.org Ada"]);
});

test("the encoding of a file that does not say it is told to be a guess", () => {
	assert.deepEqual(textOf(latin("J\xfcrgen")), { text: "Jürgen", guessed: true });
	assert.deepEqual(textOf(bytes("Ju\u0308rgen")), { text: "Jürgen", guessed: false });
	assert.deepEqual(textOf(Uint8Array.from([0, 0x41, 0, 0x42])), { text: "AB", guessed: false });
});
