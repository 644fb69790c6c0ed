/*
 * A Narthex module in C11, written from docs/link.md and abi.proto alone, with no library but libc. It shows
 * that the page is enough to write an SDK in another language; modulehost/conformance builds and tries it.
 *
 * It is one thread and one poll loop. Nothing in it blocks, so a ping is answered at once whatever the
 * handlers do. A call is a small state machine:
 *
 *   taken -> reading (its body comes) -> answered -> awaiting a lend -> done, when its body is queued
 *
 * Its routes: POST /echo (buffered) answers with the body it got; POST /count (streamed) answers with the
 * number of bytes. The channel "counts" tells how many requests there were.
 *
 * Under another name than "cmodule" it breaks the rule that the name says (nonsense.h), so that the host can
 * be seen to refuse it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* docs/link.md, Frames and Bodies */
enum { CALL = 1, ANSWER, FAILURE, CANCEL, PING, PONG, LEND, WANT };
enum { DATA = 1, FLUSH, END, ABORT, OVERFLOW };
enum { REGISTER = 1, START, STOP, HANDLE, SNAPSHOT, LOG = 49 };
enum { HOST_CALLS = 3, MODULE_CALLS = 4, FIRST_BODY = 5, BODIES = 32, DESCRIPTORS = FIRST_BODY + BODIES };
enum { HEAD = 10, PAYLOAD = 1280 << 10, PIECE_HEAD = 4, PIECE = 1 << 20, INLINE = 8 << 10 };
enum { ECHO_LIMIT = 64 << 10, COUNT_LIMIT = 1 << 20, CALLS = 512 };
enum { WRITE_WITHIN = 2000, LOG_WITHIN = 5000 }; /* milliseconds */

/* ---- bytes ---- */

typedef struct {
	uint8_t *at;
	size_t length, room;
} Bytes;

static void *must(void *memory) {
	if (memory == NULL) {
		exit(4);
	}
	return memory;
}

static void append(Bytes *b, const void *from, size_t length) {
	if (b->length + length > b->room) {
		b->room = (b->length + length) * 2;
		b->at = must(realloc(b->at, b->room));
	}
	if (length > 0) {
		memcpy(b->at + b->length, from, length);
		b->length += length;
	}
}

/* drop removes the first bytes. */
static void drop(Bytes *b, size_t length) {
	b->length -= length;
	if (b->length > 0) {
		memmove(b->at, b->at + length, b->length);
	}
}

static void release(Bytes *b) {
	free(b->at);
	*b = (Bytes){0};
}

static uint32_t little(const uint8_t *from, int bytes) {
	uint32_t value = 0;
	for (int i = 0; i < bytes; i++) {
		value |= (uint32_t)from[i] << (8 * i);
	}
	return value;
}

static void append_little(Bytes *b, uint32_t value, int bytes) {
	for (int i = 0; i < bytes; i++) {
		uint8_t byte = (uint8_t)(value >> (8 * i));
		append(b, &byte, 1);
	}
}

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- protobuf: only what abi.proto needs here ---- */

static void append_varint(Bytes *b, uint64_t value) {
	do {
		uint8_t byte = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
		append(b, &byte, 1);
		value >>= 7;
	} while (value > 0);
}

static void append_number(Bytes *b, int field, uint64_t value) {
	append_varint(b, (uint64_t)field << 3);
	append_varint(b, value);
}

static void append_field(Bytes *b, int field, const void *from, size_t length) {
	append_varint(b, (uint64_t)field << 3 | 2);
	append_varint(b, length);
	append(b, from, length);
}

static void append_text(Bytes *b, int field, const char *text) { append_field(b, field, text, strlen(text)); }

/* append_message appends a message as a field, and frees it. */
static void append_message(Bytes *b, int field, Bytes *message) {
	append_field(b, field, message->at, message->length);
	release(message);
}

typedef struct {
	const uint8_t *at, *end;
	bool broken;
} Reader;

typedef struct {
	int number;
	uint64_t value;       /* of a varint */
	const uint8_t *bytes; /* of a length-delimited field */
	size_t length;
} Field;

static uint64_t read_varint(Reader *r) {
	uint64_t value = 0;
	for (int shift = 0; shift < 64; shift += 7) {
		if (r->at == r->end) {
			break;
		}
		uint8_t byte = *r->at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			return value;
		}
	}
	r->broken = true;
	return 0;
}

/* next reads a field; false: there is none, or the message is broken. Unknown fields are the caller's to skip. */
static bool next(Reader *r, Field *f) {
	if (r->broken || r->at == r->end) {
		return false;
	}
	uint64_t tag = read_varint(r);
	*f = (Field){.number = (int)(tag >> 3)};
	switch (tag & 7) {
	case 0:
		f->value = read_varint(r);
		break;
	case 1:
		f->length = 8;
		break;
	case 2:
		f->length = read_varint(r);
		break;
	case 5:
		f->length = 4;
		break;
	default:
		r->broken = true;
	}
	if (r->broken || f->length > (size_t)(r->end - r->at)) {
		r->broken = true;
		return false;
	}
	f->bytes = r->at;
	r->at += f->length;
	return true;
}

/* ---- descriptors ---- */

typedef struct {
	Bytes in, out;
	int64_t stuck; /* since when the first byte of out waits; 0: none does */
} Socket;

typedef enum { FREE, READING, AWAITING_LEND } State;

typedef struct {
	uint32_t id;
	State state;
	int method, route;
	int socket; /* the body socket that is the call's; 0: none */
	Bytes body; /* of the request while it is read, then of the response */
	uint64_t count;
} Call;

static Socket sockets[DESCRIPTORS];
static int owed[DESCRIPTORS];      /* endings of bodies that nobody waits for any more */
static Call *readers[DESCRIPTORS]; /* whose body comes next on a body socket */
static Call calls[CALLS];
static uint64_t requests;
static bool stopped;
static const char *mode;

/* lose is rule 8: a module whose link is lost exits. After Stop that is as it should be. */
static _Noreturn void lose(void) { exit(stopped ? 0 : 1); }

/* flush writes what the socket takes now. */
static void flush(int fd) {
	Socket *s = &sockets[fd];
	while (s->out.length > 0) {
		ssize_t written = write(fd, s->out.at, s->out.length);
		if (written < 0 && errno == EINTR) {
			continue;
		}
		if (written < 0 && errno == EAGAIN) {
			s->stuck = s->stuck ? s->stuck : now();
			return;
		}
		if (written <= 0) {
			lose();
		}
		drop(&s->out, (size_t)written);
		s->stuck = 0;
	}
	s->stuck = 0;
	if (s->out.room > PIECE) {
		release(&s->out);
	}
}

static void send_frame(int fd, int kind, int method, uint32_t id, const void *payload, size_t length) {
	Bytes *out = &sockets[fd].out;
	uint8_t kinds[2] = {(uint8_t)kind, (uint8_t)method};
	append_little(out, (uint32_t)(6 + length), 4);
	append(out, kinds, 2);
	append_little(out, id, 4);
	append(out, payload, length);
	flush(fd);
}

static void answer(uint32_t id, int follows, Bytes *message) {
	send_frame(HOST_CALLS, ANSWER, follows, id, message->at, message->length);
	release(message);
}

static void refuse(uint32_t id, const char *code) {
	Bytes payload = {0};
	append_varint(&payload, strlen(code));
	append(&payload, code, strlen(code));
	send_frame(HOST_CALLS, FAILURE, 0, id, payload.at, payload.length);
	release(&payload);
}

#include "nonsense.h"

/* ---- calls ---- */

static Call *find(uint32_t id) {
	for (int i = 0; i < CALLS; i++) {
		if (calls[i].state != FREE && calls[i].id == id) {
			return &calls[i];
		}
	}
	return NULL;
}

static Call *take(uint32_t id) {
	for (int i = 0; i < CALLS; i++) {
		if (calls[i].state == FREE) {
			calls[i] = (Call){.id = id};
			return &calls[i];
		}
	}
	exit(5); /* the host sends no more than 512 at once */
}

/* finish ends a call. What still comes of its body is dropped, to the ending. */
static void finish(Call *c) {
	if (c->socket != 0 && readers[c->socket] == c) {
		readers[c->socket] = NULL;
		owed[c->socket]++;
	}
	release(&c->body);
	c->state = FREE;
}

static void send_piece(int fd, int kind, const void *bytes, size_t length) {
	Bytes *out = &sockets[fd].out;
	uint8_t byte = (uint8_t)kind;
	append(out, &byte, 1);
	append_little(out, (uint32_t)length, 3);
	append(out, bytes, length);
}

/* send_body queues the response's body on the call's socket. From then on a cancel comes too late. */
static void send_body(Call *c) {
	send_piece(c->socket, piece_kind(), c->body.at, c->body.length);
	send_piece(c->socket, END, NULL, 0);
	flush(c->socket);
	finish(c);
}

/* respond answers with the call's body: in the message, or behind it on a socket. */
static void respond(Call *c, int status, const char *type) {
	Bytes response = {0}, header = {0};
	append_number(&response, 1, (uint64_t)status);
	append_text(&header, 1, "Content-Type");
	append_text(&header, 2, type);
	append_message(&response, 2, &header);
	if (c->body.length <= INLINE) {
		append_field(&response, 3, c->body.at, c->body.length);
		answer(c->id, 0, &response);
		finish(c);
		return;
	}
	append_number(&response, 4, c->body.length);
	answer(c->id, 1, &response);
	if (c->socket != 0) {
		send_body(c);
	} else {
		c->state = AWAITING_LEND;
	}
}

/* complete runs a handler whose request has come to its end, which is the ending's kind. */
static void complete(Call *c, int ending) {
	char text[64];
	if (ending != END) { /* the host answers the client, but it wants an answer, too */
		c->body.length = 0;
		respond(c, 400, "text/plain");
		return;
	}
	if (c->route == 1) {
		snprintf(text, sizeof text, "{\"bytes\":%llu}", (unsigned long long)c->count);
		c->body.length = 0;
		append(&c->body, text, strlen(text));
		respond(c, 200, "application/json");
		return;
	}
	respond(c, 200, "application/octet-stream");
}

static void pieces(int fd);

static void handle(uint32_t id, Reader request) {
	Call *c = take(id);
	bool follows = false;
	Field f;
	c->method = HANDLE;
	while (next(&request, &f)) {
		switch (f.number) {
		case 1:
			c->route = (int)f.value;
			break;
		case 8:
			append(&c->body, f.bytes, f.length);
			break;
		case 10:
			c->socket = (int)f.value;
			break;
		case 11:
			follows = f.value != 0;
			break;
		}
	}
	c->state = READING;
	if (request.broken || (c->socket != 0 && (c->socket < FIRST_BODY || c->socket >= DESCRIPTORS))) {
		refuse(id, "REQUEST_INVALID");
		c->socket = 0;
		finish(c);
		return;
	}
	requests++;
	c->count = c->body.length;
	if (!follows) {
		complete(c, END);
		return;
	}
	int socket = c->socket;
	readers[socket] = c;
	if (c->route == 1) {
		send_frame(HOST_CALLS, WANT, 0, id, NULL, 0);
	}
	pieces(socket); /* the beginning may have come with the end of the body before */
}

static void register_all(uint32_t id, Reader request) {
	static const struct {
		const char *path;
		uint64_t limit, mode;
	} routes[] = {{"/echo", ECHO_LIMIT, 0}, {"/count", COUNT_LIMIT, 1}};
	Bytes response = {0}, part = {0};
	Field f;
	uint64_t abi = 0;
	while (next(&request, &f)) {
		abi = f.number == 1 ? f.value : abi;
	}
	if (request.broken || abi != 1) {
		refuse(id, "ABI_UNKNOWN");
		return;
	}
	append_number(&response, 1, answered_abi());
	append_text(&response, 2, "c-1");
	for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
		append_text(&part, 1, "POST");
		append_text(&part, 2, routes[i].path);
		append_text(&part, 3, "c-module.use");
		append_number(&part, 4, routes[i].limit);
		append_number(&part, 5, routes[i].mode);
		append_message(&response, 3, &part);
	}
	append_text(&part, 1, "counts");
	append_text(&part, 2, "c-module.use");
	append_message(&response, 4, &part);
	answer(id, 0, &response);
}

static void snapshot(uint32_t id) {
	char text[64];
	Bytes response = {0};
	snprintf(text, sizeof text, "{\"requests\":%llu}", (unsigned long long)requests);
	append_number(&response, 1, 0); /* nothing was ever published */
	append_text(&response, 2, text);
	answer(id, 0, &response);
}

/* ---- the module's own call: a line in the host's log, for which Start waits ---- */

static struct {
	bool waiting, abandoned;
	uint32_t start; /* the call id of Start */
	int64_t until;
} line;

enum { LINE = 1 }; /* its call id */

static void start(uint32_t id) {
	Bytes request = {0};
	append_number(&request, 1, 1);
	append_text(&request, 2, "the module in C has started");
	line.waiting = true;
	line.start = id;
	line.until = now() + LOG_WITHIN;
	send_frame(MODULE_CALLS, CALL, asked_method(), LINE, request.at, request.length);
	release(&request);
}

/* started answers Start; a code is why it failed. */
static void started(const char *code) {
	Bytes response = {0};
	line.waiting = false;
	if (code != NULL) {
		refuse(line.start, code);
	} else {
		answer(line.start, 0, &response);
	}
}

/* abandon gives the line up; its answer may still come. */
static void abandon(void) {
	line.abandoned = true;
	send_frame(MODULE_CALLS, CANCEL, 0, LINE, NULL, 0);
}

/* answered takes what the host answers to the line. */
static void answered(int kind, uint32_t id, Reader payload) {
	if (id != LINE || (kind != ANSWER && kind != FAILURE)) {
		lose();
	}
	if (line.waiting && !line.abandoned) {
		started(judge_answer(kind, payload));
	}
}

/* ---- frames ---- */

static void cancel(uint32_t id) {
	if (line.waiting && line.start == id) {
		abandon();
		started("START_CANCELLED");
		return;
	}
	Call *c = find(id);
	if (c == NULL) { /* it crossed the answer */
		return;
	}
	if (c->state == READING) {
		refuse(id, "CALL_CANCELLED");
	}
	finish(c);
}

static void lend(uint32_t id, int descriptor) {
	Call *c = find(id);
	if (c == NULL) {
		return;
	}
	if (descriptor < FIRST_BODY || descriptor >= DESCRIPTORS || c->state != AWAITING_LEND) {
		lose();
	}
	c->socket = descriptor;
	send_body(c);
}

static void stop(uint32_t id) {
	Bytes response = {0};
	if (line.waiting) { /* half a start: first that ends */
		abandon();
		started("START_CANCELLED");
	}
	stopped = true;
	answer(id, 0, &response);
}

static void called(int method, uint32_t id, Reader payload) {
	if (find(id) != NULL || (line.waiting && line.start == id)) {
		lose();
	}
	if (talk_nonsense(id)) {
		return;
	}
	switch (method) {
	case REGISTER:
		register_all(id, payload);
		break;
	case START:
		start(id);
		break;
	case STOP:
		stop(id);
		break;
	case HANDLE:
		handle(id, payload);
		break;
	case SNAPSHOT:
		snapshot(id);
		break;
	default:
		refuse(id, "METHOD_UNKNOWN");
	}
}

/* frame takes one whole frame. */
static void frame(int fd, const uint8_t *head, size_t length) {
	int kind = head[4], method = head[5];
	uint32_t id = little(head + 6, 4);
	Reader payload = {.at = head + HEAD, .end = head + HEAD + length};
	if (fd == MODULE_CALLS) {
		answered(kind, id, payload);
		return;
	}
	if (kind != CALL && length > 0) {
		lose();
	}
	switch (kind) {
	case CALL:
		called(method, id, payload);
		break;
	case CANCEL:
		cancel(id);
		break;
	case PING:
		send_frame(fd, PONG, 0, id, NULL, 0);
		break;
	case LEND:
		lend(id, method);
		break;
	default:
		lose();
	}
}

/* frames takes all whole frames that have come. */
static void frames(int fd) {
	Bytes *in = &sockets[fd].in;
	size_t at = 0;
	while (in->length - at >= HEAD) {
		uint32_t length = little(in->at + at, 4);
		if (length < 6 || length > 6 + PAYLOAD) {
			lose();
		}
		if (in->length - at < 4 + (size_t)length) {
			break;
		}
		frame(fd, in->at + at, length - 6);
		at += 4 + (size_t)length;
	}
	drop(in, at);
}

/* piece takes one piece of a body: the reader's, or of one that nobody reads any more. */
static void piece(int fd, int kind, const uint8_t *bytes, size_t length) {
	Call *c = readers[fd];
	bool ending = kind == END || kind == ABORT || kind == OVERFLOW;
	if (kind < DATA || kind > OVERFLOW || (kind == DATA) != (length > 0)) {
		lose();
	}
	if (owed[fd] > 0) {
		owed[fd] -= ending;
		return;
	}
	c->count += length;
	if (c->route == 0) {
		append(&c->body, bytes, length);
	}
	if (ending) {
		readers[fd] = NULL;
		complete(c, kind);
	}
}

/*
 * pieces takes what has come of bodies that are waited for. What is behind their endings stays for the next
 * call. A piece is taken whole: at most 1 MiB waits for its end.
 */
static void pieces(int fd) {
	Bytes *in = &sockets[fd].in;
	size_t at = 0;
	while ((readers[fd] != NULL || owed[fd] > 0) && in->length - at >= PIECE_HEAD) {
		size_t length = little(in->at + at + 1, 3);
		if (length > PIECE) {
			lose();
		}
		if (in->length - at < PIECE_HEAD + length) {
			break;
		}
		piece(fd, in->at[at], in->at + at + PIECE_HEAD, length);
		at += PIECE_HEAD + length;
	}
	drop(in, at);
}

/* ---- the loop ---- */

static void receive(int fd) {
	static uint8_t buffer[256 << 10];
	ssize_t got = read(fd, buffer, sizeof buffer);
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		return;
	}
	if (got <= 0) {
		lose();
	}
	append(&sockets[fd].in, buffer, (size_t)got);
	if (fd < FIRST_BODY) {
		frames(fd);
	} else {
		pieces(fd);
	}
	if (sockets[fd].in.length == 0) {
		release(&sockets[fd].in);
	}
}

/* watched says what poll is to wait for. Of a body socket nothing is read before its call has come. */
static short watched(int fd) {
	short events = sockets[fd].out.length > 0 ? POLLOUT : 0;
	if (fd < FIRST_BODY || readers[fd] != NULL || owed[fd] > 0) {
		events |= POLLIN;
	}
	return events;
}

/* overdue ends what takes too long: a write to a link, and the line. */
static void overdue(void) {
	for (int fd = HOST_CALLS; fd <= MODULE_CALLS; fd++) {
		if (sockets[fd].stuck != 0 && now() - sockets[fd].stuck > WRITE_WITHIN) {
			lose();
		}
	}
	if (line.waiting && now() > line.until) {
		abandon();
		started(NULL); /* it can do without */
	}
}

int main(int argc, char **argv) {
	struct pollfd polled[DESCRIPTORS];
	mode = argc > 0 ? argv[0] : "";
	signal(SIGPIPE, SIG_IGN); /* a write to a closed socket fails, which loses the link */
	for (int fd = HOST_CALLS; fd < DESCRIPTORS; fd++) {
		int flags = fcntl(fd, F_GETFL);
		if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
			fputs("this program is a Narthex module: the platform starts it\n", stderr);
			return 3;
		}
	}
	for (;;) {
		int used = 0;
		bool timed = line.waiting;
		for (int fd = HOST_CALLS; fd < DESCRIPTORS; fd++) {
			short events = watched(fd);
			timed = timed || sockets[fd].stuck != 0;
			if (events != 0) {
				polled[used++] = (struct pollfd){.fd = fd, .events = events};
			}
		}
		if (poll(polled, (nfds_t)used, timed ? 100 : -1) < 0 && errno != EINTR) {
			return 6;
		}
		for (int i = 0; i < used; i++) {
			if (polled[i].revents & POLLOUT) {
				flush(polled[i].fd);
			}
			if (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) {
				receive(polled[i].fd);
			}
		}
		overdue();
	}
}
