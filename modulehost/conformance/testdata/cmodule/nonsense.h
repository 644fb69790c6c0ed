/*
 * What the module says when it was told to break a rule, by the name of its executable. Each is a sentence of
 * docs/link.md; the host's test names what it must do about it.
 */

static bool told(const char *name) { return strcmp(mode, name) == 0; }

/* answered_abi: "another ABI ends the process". */
static uint64_t answered_abi(void) { return told("wrong-version") ? 2 : 1; }

/* asked_method: a method that nobody knows is refused, and the link stays. */
static int asked_method(void) { return told("unknown-method") ? 99 : LOG; }

/* piece_kind: "a piece that is none of the above" loses the link. */
static int piece_kind(void) { return told("wrong-piece") ? 9 : DATA; }

/* judge_answer returns why the start failed; NULL: it did not. A refused line is no reason. */
static const char *judge_answer(int kind, Reader payload) {
	static const char code[] = "METHOD_UNKNOWN";
	if (!told("unknown-method")) {
		return NULL;
	}
	size_t length = (size_t)read_varint(&payload);
	bool refused = kind == FAILURE && length == strlen(code) && length <= (size_t)(payload.end - payload.at) &&
	               memcmp(payload.at, code, length) == 0;
	return refused ? NULL : "NOT_REFUSED";
}

/* frame_of writes a head as it is told, and a few bytes behind it. */
static void frame_of(uint32_t length, int kind, uint32_t id, const char *payload, size_t bytes) {
	Bytes *out = &sockets[HOST_CALLS].out;
	uint8_t kinds[2] = {(uint8_t)kind, 0};
	append_little(out, length, 4);
	append(out, kinds, 2);
	append_little(out, id, 4);
	append(out, payload, bytes);
	flush(HOST_CALLS);
}

/* talk_nonsense answers the first call, Register, against a rule of frames; false: it was not told to. */
static bool talk_nonsense(uint32_t id) {
	if (told("oversized-frame")) {
		frame_of(6 + PAYLOAD + 1, ANSWER, id, "", 0);
	} else if (told("undersized-frame")) {
		frame_of(5, ANSWER, id, "", 0);
	} else if (told("unknown-kind")) {
		frame_of(6, 9, id, "", 0);
	} else if (told("never-asked")) {
		frame_of(6, ANSWER, id + 1, "", 0);
	} else if (told("wrong-sort")) {
		frame_of(6, PONG, id, "", 0);
	} else if (told("payload-in-want")) {
		frame_of(7, WANT, id, "x", 1);
	} else if (told("no-message")) {
		frame_of(7, ANSWER, id, "\xff", 1);
	} else if (told("cut-short")) {
		frame_of(6 + 100, ANSWER, id, "half of it", 10);
		exit(0);
	} else {
		return false;
	}
	return true;
}
