package script_test

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestHandlers: what a handler returns becomes the response, and what it throws the refusal.
func TestHandlers(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`
	m.get("/value", "sample.use", async () => ({ at: new Date(0), list: [1, "two", null] }));
	m.get("/nothing", "sample.use", () => {});
	m.get("/text", "sample.use", () => new Response("plain", { headers: { "Content-Type": "text/plain" } }));
	m.get("/bytes", "sample.use", () => new Response(new Uint8Array([1, 2, 3]), { status: 202 }));
	m.get("/query", "sample.use", (request) => request.query.getAll("a"));
	m.get("/notes/{id}", "sample.use", (request) => ({ id: request.id("id", "NOTE_NOT_FOUND") }));
	m.get("/who", "sample.use", (request) => request.principal.kind);
	m.get("/may", "sample.use", () => can("sample.manage"));
	m.get("/refused", "sample.use", () => { throw refuse(409, "NOTE_TAKEN"); });
	m.get("/failed", "sample.use", async () => { await null; undefinedName(); });
	m.post("/body", "sample.use", { maxBodyBytes: 100 }, async (request) => created(await request.json({
		text: shape.line(1, 5), rank: shape.optional(shape.integer(0, 9)) })));
	`), sdktest.Options{})
	anna := m.Person()
	for _, c := range []struct {
		method, path, body string
		status             int
		answer             string
	}{
		{"GET", "/value", "", 200, "{\"at\":\"1970-01-01T00:00:00.000Z\",\"list\":[1,\"two\",null]}"},
		{"GET", "/nothing", "", 204, ""},
		{"GET", "/text", "", 200, "plain"},
		{"GET", "/bytes", "", 202, "\x01\x02\x03"},
		{"GET", "/query?a=1&b=2&a=%C3%A4+%2B", "", 200, "[\"1\",\"ä +\"]"},
		{"GET", "/query?a=%FF", "", 400, "{\"code\":\"REQUEST_INVALID\"}"},
		{"GET", "/notes/x", "", 404, "{\"code\":\"NOTE_NOT_FOUND\"}"},
		{"GET", "/who", "", 200, "\"authenticated\""},
		{"GET", "/may", "", 200, "false"},
		{"GET", "/refused", "", 409, "{\"code\":\"NOTE_TAKEN\"}"},
		{"GET", "/failed", "", 500, "{\"code\":\"MODULE_HANDLER_FAILED\"}"},
		{"POST", "/body", "{\"text\":\"five5\"}", 201, "{\"text\":\"five5\"}"},
		{"POST", "/body", "{\"text\":\"sixsix\"}", 400, "{\"code\":\"REQUEST_INVALID\"}"},
		{"POST", "/body", "{\"text\":\"a\",\"rank\":1.5}", 400, "{\"code\":\"REQUEST_INVALID\"}"},
		{"POST", "/body", "{\"text\":\"a\",\"more\":1}", 400, "{\"code\":\"REQUEST_INVALID\"}"},
		{"POST", "/body", "{\"text\":", 400, "{\"code\":\"REQUEST_INVALID\"}"},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		if got := anna.Do(c.method, c.path, body); got.Status != c.status || string(got.Body) != c.answer {
			t.Errorf("%s %s %s: %v, want %d %s", c.method, c.path, c.body, got, c.status, c.answer)
		}
	}
}
