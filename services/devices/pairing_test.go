package devices_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/environment"
)

var (
	codeForm = regexp.MustCompile(`^[0-9]{6}$`)
	timeForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`)
)

// All steps from the screen's first request to its device, for both kinds of base URL, with every response
// and cookie.
func TestPairing(t *testing.T) {
	t.Parallel()
	for _, origin := range []struct {
		base               environment.Origin
		prefix, attributes string
	}{
		{"http://church.test:3000", "narthex_", "; Path=/; HttpOnly; SameSite=Lax"},
		{"https://church.test", "__Host-narthex_", "; Path=/; HttpOnly; Secure; SameSite=Lax"},
	} {
		t.Run(string(origin.base), func(t *testing.T) {
			t.Parallel()
			h := setup(t, reachedAt(origin.base))

			q := asking("stage")
			q.agent = "Mozilla/5.0 (X11; Linux aarch64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 " +
				"Safari/537.36"
			w := h.assertSend(t, q, 201, "")
			asked := decode[pairingBody](t, w)
			if asked.State != "pending" || !codeForm.MatchString(asked.PairingCode) ||
				!timeForm.MatchString(asked.ExpiresAt) {
				t.Errorf("pairing %+v, want it pending with six digits and a time", asked)
			}
			if expires, err := time.Parse(time.RFC3339, asked.ExpiresAt); err != nil ||
				time.Until(expires) > 10*time.Minute ||
				time.Until(expires) < 9*time.Minute {
				t.Errorf("the pairing expires at %s, want in 9 to 10 minutes; error %v", asked.ExpiresAt, err)
			}
			wantCookie(t, w.Header(), `^`+origin.prefix+`claim=[A-Za-z0-9_-]{43}; Max-Age=660`+origin.attributes+`$`)
			s := screen{asked.PairingCode, cookieOf(w)}
			h.assertState(t, s, "pending")
			h.assertRows(t, 1, 0, 0)
			h.assertSend(t, s.collect(), 409, "PAIRING_NOT_APPROVED")

			request := decode[map[string]string](
				t,
				h.assertSend(t, request{method: "GET", path: pairing + "/requests/" + s.code}, 200, ""),
			)
			if !timeForm.MatchString(request["createdAt"]) || request["expiresAt"] != asked.ExpiresAt {
				t.Errorf("request from %s to %s, want a time and %s", request["createdAt"],
					request["expiresAt"], asked.ExpiresAt)
			}
			delete(request, "createdAt")
			delete(request, "expiresAt")
			if len(request) != 5 || request["pairingCode"] != s.code || request["moduleId"] != "stage" ||
				request["moduleName"] != "Stage" ||
				request["permissionId"] != "stage.display.view" ||
				request["description"] != "Chromium on Linux" {
				t.Errorf("request %v, want the code %s for stage and Chromium on Linux", request, s.code)
			}

			device := h.approve(t, s)
			if device.Label != "Back wall" || device.ModuleID != "stage" ||
				device.PermissionID != "stage.display.view" || device.CreatedBy == nil ||
				*device.CreatedBy != h.admin || !timeForm.MatchString(device.CreatedAt) ||
				device.LastSeenAt != nil ||
				device.RevokedAt != nil {
				t.Errorf("device %+v, want \"Back wall\" for stage, created by %s, not seen, not revoked",
					device, h.admin)
			}
			h.assertState(t, s, "approved")
			h.assertRows(t, 1, 1, 1)

			w = h.assertSend(t, s.collect(), 200, "")
			if w.Body.String() != `{"state":"claimed","moduleId":"stage","label":"Back wall"}` {
				t.Errorf("claim: %s, want it claimed as \"Back wall\" for stage", w.Body)
			}
			wantCookie(
				t,
				w.Header(),
				`^`+origin.prefix+`device=[A-Za-z0-9_-]{43}; Max-Age=34560000`+origin.attributes+`$`,
			)
			h.assertRows(t, 1, 1, 1)
			h.assertState(t, s, "approved") // a screen that missed the response claims again
			if again := h.assertSend(t, s.collect(), 200, ""); cookieOf(again) != cookieOf(w) {
				t.Errorf("claimed again: %q, want the same credential as before: %q", cookieOf(again), cookieOf(w))
			}
			h.assertDevice(t, cookieOf(w), device.ID)
			if held, err := h.service.Permissions(t.Context(), device.ID); err != nil ||
				!slices.Equal(held, []string{"stage.display.view"}) {
				t.Errorf("permissions of the device %v, want stage.display.view; error %v", held, err)
			}

			h.assertSend(t, s.collect(), 404, "PAIRING_NOT_FOUND")
			h.assertSend(t, s.state(), 404, "PAIRING_NOT_FOUND")
			h.assertSend(t, approving(s.code), 409, "PAIRING_ALREADY_DECIDED")
			h.assertRows(t, 1, 1, 1)
			if n := h.logged.Len(); n != 0 {
				t.Errorf("%d lines were logged, want none", n)
			}
		})
	}
}

func wantCookie(t *testing.T, header http.Header, patterns ...string) {
	t.Helper()
	lines := header["Set-Cookie"]
	if len(lines) != len(patterns) {
		t.Fatalf("Set-Cookie %q, want %d lines", lines, len(patterns))
	}
	for i, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(lines[i]) {
			t.Errorf("cookie %q is not %s", lines[i], pattern)
		}
	}
}

// No refused request changes a table.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	h := setup(t)
	pending, rejected := h.ask(t, "stage"), h.ask(t, "stage")
	h.assertSend(t, rejecting(rejected.code), 204, "")
	used := h.ask(t, "stage")
	device := h.approve(t, used)
	credential := cookieOf(h.assertSend(t, used.collect(), 200, ""))
	h.assertDevice(t, credential, device.ID)
	unknownClaim, _ := devices.NewSecret()
	labelled := func(path, body string) request { return request{method: "POST", path: path, body: body} }
	toDevice := func(id, body string) request {
		return request{method: "PUT", path: managed + "/" + id, body: body}
	}
	approvePath := pairing + "/" + pending.code + "/approve"
	const unknownID = "00000000-0000-4000-8000-000000000000"

	before := h.everything(t)
	for _, row := range []struct {
		name   string
		q      request
		status int
		code   string
	}{
		{"ask: no body", request{method: "POST", path: pairing}, 400, "REQUEST_INVALID"},
		{
			"ask: no type", request{method: "POST", path: pairing, body: `{"moduleId":"stage"}`, noContentType: true},
			400, "REQUEST_INVALID",
		},
		{"ask: not an object", request{method: "POST", path: pairing, body: `"stage"`}, 400, "REQUEST_INVALID"},
		{
			"ask: another type", request{method: "POST", path: pairing, body: `{"moduleId":1}`}, 400,
			"REQUEST_INVALID",
		},
		{"ask: null", request{method: "POST", path: pairing, body: `{"moduleId":null}`}, 400, "REQUEST_INVALID"},
		{
			"ask: its own permission",
			request{method: "POST", path: pairing, body: `{"moduleId":"stage","permissionId":"x"}`}, 400,
			"REQUEST_INVALID",
		},
		{
			"ask: too long", request{method: "POST", path: pairing, body: strings.Repeat(" ", 16<<10+1)}, 413,
			"REQUEST_BODY_TOO_LARGE",
		},
		{"ask: no display", asking("rota"), 404, "DISPLAY_NOT_FOUND"},
		{"ask: no module", asking(""), 404, "DISPLAY_NOT_FOUND"},

		{"state: no claim", request{method: "GET", path: pairing}, 404, "PAIRING_NOT_FOUND"},
		{
			"state: malformed claim", request{method: "GET", path: pairing, cookie: "narthex_claim=x"}, 404,
			"PAIRING_NOT_FOUND",
		},
		{
			"state: unknown claim", request{method: "GET", path: pairing, cookie: "narthex_claim=" + unknownClaim},
			404, "PAIRING_NOT_FOUND",
		},
		{
			"state: the code is no claim",
			request{method: "GET", path: pairing, cookie: "narthex_claim=" + pending.code}, 404, "PAIRING_NOT_FOUND",
		},
		{
			"state: a claim by another name",
			request{method: "GET", path: pairing, cookie: "__Host-" + pending.cookie}, 404, "PAIRING_NOT_FOUND",
		},
		{
			"state: a credential is no claim",
			request{method: "GET", path: pairing, cookie: strings.Replace(credential, "_device", "_claim", 1)}, 404,
			"PAIRING_NOT_FOUND",
		},

		{"claim: pending", pending.collect(), 409, "PAIRING_NOT_APPROVED"},
		{"claim: rejected", rejected.collect(), 409, "PAIRING_NOT_APPROVED"},
		{"claim: used", used.collect(), 404, "PAIRING_NOT_FOUND"},
		{"claim: no cookie", labelled(claim, `{}`), 404, "PAIRING_NOT_FOUND"},
		{"claim: unknown", screen{cookie: "narthex_claim=" + unknownClaim}.collect(), 404, "PAIRING_NOT_FOUND"},
		{
			"claim: with a body",
			request{method: "POST", path: claim, body: `{"code":"` + pending.code + `"}`, cookie: pending.cookie}, 400,
			"REQUEST_INVALID",
		},
		{
			"claim: no object", request{method: "POST", path: claim, body: `[]`, cookie: pending.cookie}, 400,
			"REQUEST_INVALID",
		},

		{
			"request: rejected", request{method: "GET", path: pairing + "/requests/" + rejected.code}, 404,
			"PAIRING_NOT_FOUND",
		},
		{
			"request: used", request{method: "GET", path: pairing + "/requests/" + used.code}, 404,
			"PAIRING_NOT_FOUND",
		},
		{
			"request: five digits", request{method: "GET", path: pairing + "/requests/12345"}, 404,
			"PAIRING_NOT_FOUND",
		},
		{
			"request: other digits", request{method: "GET", path: pairing + "/requests/\u0661\u0662\u0663"}, 404,
			"PAIRING_NOT_FOUND",
		},
		{"request: like", request{method: "GET", path: pairing + "/requests/______"}, 404, "PAIRING_NOT_FOUND"},

		{"approve: rejected", approving(rejected.code), 409, "PAIRING_ALREADY_DECIDED"},
		{"approve: used", approving(used.code), 409, "PAIRING_ALREADY_DECIDED"},
		{"approve: malformed code", approving("12345x"), 404, "PAIRING_NOT_FOUND"},
		{"approve: no label", labelled(approvePath, `{}`), 400, "REQUEST_INVALID"},
		{"approve: empty label", labelled(approvePath, `{"label":""}`), 400, "REQUEST_INVALID"},
		{"approve: blank label", labelled(approvePath, `{"label":" \u00a0\u2003"}`), 400, "REQUEST_INVALID"},
		{
			"approve: long label", labelled(approvePath, `{"label":"`+strings.Repeat("ü", 81)+`"}`), 400,
			"REQUEST_INVALID",
		},
		{"approve: control character", labelled(approvePath, `{"label":"a\u0000b"}`), 400, "REQUEST_INVALID"},
		{"approve: line end", labelled(approvePath, `{"label":"a\nb"}`), 400, "REQUEST_INVALID"},
		{"approve: reordered", labelled(approvePath, `{"label":"a\u202eb"}`), 400, "REQUEST_INVALID"},
		{"approve: invisible", labelled(approvePath, `{"label":"\u3164"}`), 400, "REQUEST_INVALID"},
		{"approve: half a character", labelled(approvePath, `{"label":"\ud800"}`), 400, "REQUEST_INVALID"},
		{"approve: no UTF-8", labelled(approvePath, "{\"label\":\"\xff\"}"), 400, "REQUEST_INVALID"},
		{
			"approve: a permission of its own",
			labelled(approvePath, `{"label":"a","permissionId":"core.devices.manage"}`), 400, "REQUEST_INVALID",
		},

		{"reject: rejected", rejecting(rejected.code), 409, "PAIRING_ALREADY_DECIDED"},
		{"reject: used", rejecting(used.code), 409, "PAIRING_ALREADY_DECIDED"},
		{"reject: malformed code", rejecting("1234567"), 404, "PAIRING_NOT_FOUND"},
		{
			"reject: with a body", labelled(pairing+"/"+pending.code+"/reject", `{"label":"a"}`), 400,
			"REQUEST_INVALID",
		},

		{"rename: unknown", toDevice(unknownID, `{"label":"a"}`), 404, "DEVICE_NOT_FOUND"},
		{"rename: malformed id", toDevice("1", `{"label":"a"}`), 400, "REQUEST_INVALID"},
		{"rename: id in capitals", toDevice(strings.ToUpper(device.ID), `{"label":"a"}`), 400, "REQUEST_INVALID"},
		{
			"rename: id without hyphens", toDevice(strings.ReplaceAll(device.ID, "-", ""), `{"label":"a"}`), 400,
			"REQUEST_INVALID",
		},
		{"rename: blank", toDevice(device.ID, `{"label":"  "}`), 400, "REQUEST_INVALID"},
		{"rename: long", toDevice(device.ID, `{"label":"`+strings.Repeat("a", 81)+`"}`), 400, "REQUEST_INVALID"},
		{
			"rename: more than the label", toDevice(device.ID, `{"label":"a","moduleId":"b"}`), 400, "REQUEST_INVALID",
		},

		{"revoke: unknown", labelled(managed+"/"+unknownID+"/revoke", `{}`), 404, "DEVICE_NOT_FOUND"},
		{"revoke: malformed id", labelled(managed+"/x/revoke", `{}`), 400, "REQUEST_INVALID"},
		{"revoke: with a body", labelled(managed+"/"+device.ID+"/revoke", `{"label":"a"}`), 400, "REQUEST_INVALID"},
	} {
		t.Run(row.name, func(t *testing.T) { h.assertSend(t, row.q, row.status, row.code) })
	}
	if after := h.everything(t); after != before {
		t.Errorf("refusals changed\n%s\nto\n%s\nwant no change", before, after)
	}
}

// everything returns all rows of pairings and devices, as text.
func (h *harness) everything(t testing.TB) string {
	t.Helper()
	return h.text(t, `
		SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '')
		FROM (
			SELECT p::text AS line FROM core.device_pairing p
			UNION ALL SELECT d::text FROM core.device d
			UNION ALL SELECT a::text FROM core.device_permission a
		) AS lines`)
}

// The code is well-formed, but no pairing has it.
func TestUnknownCode(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	unknown := "000000"
	if s.code == unknown {
		unknown = "000001"
	}
	h.assertSend(t, approving(unknown), 404, "PAIRING_NOT_FOUND")
	h.assertSend(t, rejecting(unknown), 404, "PAIRING_NOT_FOUND")
	h.assertSend(t, request{method: "GET", path: pairing + "/requests/" + unknown}, 404, "PAIRING_NOT_FOUND")
	h.assertRows(t, 1, 0, 0)
}

// A screen that sends its request again keeps its code while it is pending, and never has two pending
// pairings.
func TestRepeatedPairingKeepsItsCode(t *testing.T) {
	t.Parallel()
	h := setup(t)
	again := func(s screen, moduleID string) request {
		q := asking(moduleID)
		q.cookie = s.cookie
		return q
	}
	renewed := func(w *screen, moduleID string) {
		t.Helper()
		response := h.assertSend(t, again(*w, moduleID), 201, "")
		next := screen{decode[pairingBody](t, response).PairingCode, cookieOf(response)}
		if next.cookie == w.cookie || next.cookie == "" {
			t.Error("a new pairing kept the old claim")
		}
		*w = next
	}

	s := h.ask(t, "stage")
	w := h.assertSend(t, again(s, "stage"), 200, "")
	if got := decode[pairingBody](t, w); got.PairingCode != s.code || got.State != "pending" ||
		w.Header().Get("Set-Cookie") != "" {
		t.Errorf("asked again: %+v, want %s pending; header %v, want no Set-Cookie", got, s.code, w.Header())
	}
	h.assertRows(t, 1, 0, 0)

	first := s
	renewed(&s, "announcements")
	h.assertRows(t, 1, 0, 0)
	h.assertSend(t, first.state(), 404, "PAIRING_NOT_FOUND")
	h.assertState(t, s, "pending")

	h.assertSend(t, rejecting(s.code), 204, "")
	h.assertState(t, s, "rejected")
	renewed(&s, "announcements")
	h.assertRows(t, 2, 0, 0)

	h.ageRows(t, "10 minutes")
	h.assertState(t, s, "expired")
	renewed(&s, "announcements")
	h.assertState(t, s, "pending")

	h.approve(t, s)
	approved := s
	renewed(&s, "announcements")
	h.assertState(t, s, "pending")
	h.assertState(t, approved, "approved") // a screen with its claim can still get its credential
}

// The device gets only the permission that the running module declares at the time of the approval.
func TestPermissionOfTheRunningManifest(t *testing.T) {
	t.Parallel()
	h := setup(t)
	s := h.ask(t, "stage")
	h.displays.set(board)
	h.assertSend(t, approving(s.code), 404, "DISPLAY_NOT_FOUND")
	h.assertSend(t, request{method: "GET", path: pairing + "/requests/" + s.code}, 404, "DISPLAY_NOT_FOUND")
	h.assertState(t, s, "pending")
	h.assertRows(t, 1, 0, 0)
	changed := stage
	changed.Permission = "stage.screen.view"
	h.displays.set(changed)
	if device := h.approve(t, s); device.PermissionID != "stage.screen.view" {
		t.Errorf("device %+v, want the permission stage.screen.view", device)
	}
	if got := h.text(
		t, "SELECT string_agg(permission_id, ' ') FROM core.device_permission",
	); got != "stage.screen.view" {
		t.Errorf("permissions of the device %s, want stage.screen.view", got)
	}
}
