import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamParser } from "../host/eventstream";

const stream =
	': hello\r\n\r\nid: 7\nevent: snapshot\ndata: {"a":"ä\\n"}\nretry: 3000\n\n' +
	"event: heartbeat\rdata:{}\r\rdata: one\ndata:  two\ndata\n\nevent: unfinished\ndata: x\n";
const expected = [
	{ event: "snapshot", data: '{"a":"ä\\n"}' },
	{ event: "heartbeat", data: "{}" },
	{ event: "message", data: "one\n two\n" },
];

test("events come whole, however the network cuts them", () => {
	for (let size = 1; size <= stream.length; size++) {
		const parser = new EventStreamParser();
		const events = [];
		for (let at = 0; at < stream.length; at += size) events.push(...parser.push(stream.slice(at, at + size)));
		assert.deepEqual(events, expected, `in pieces of ${size}`);
	}
});

test("an event without data is none, and its name does not stay", () => {
	assert.deepEqual(new EventStreamParser().push("event: update\n\ndata: x\n\n"), [
		{ event: "message", data: "x" },
	]);
});
