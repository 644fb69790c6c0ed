package devices_test

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/devices"
)

// A request is resolved to a device when the first cookie of exactly that name contains the device's
// credential.
func TestResolve(t *testing.T) {
	t.Parallel()
	h := setup(t)
	first, credential := h.pair(t, "stage")
	second, other := h.pair(t, "stage")
	unknown, _ := devices.NewSecret()
	value := strings.TrimPrefix(credential, "narthex_device=")
	last := value[42]
	for _, row := range []struct{ name, cookie, id string }{
		{"its own", credential, first.ID},
		{"among others", "theme=dark;\t" + credential + " ; a=b", first.ID},
		{"the first counts", other + "; " + credential, second.ID},
		{"also when it is none", "narthex_device=x; " + credential, ""},
		{"no cookie", "", ""},
		{"empty", "narthex_device=", ""},
		{"unknown", "narthex_device=" + unknown, ""},
		{"cut", credential[:len(credential)-1], ""},
		{"longer", credential + "A", ""},
		{"padded", credential + "=", ""},
		{"quoted", `narthex_device="` + value + `"`, ""},
		{"another format", credential[:len(credential)-1] + string(nextInAlphabet(last)), ""},
		{"the name of https", "__Host-" + credential, ""},
		{"a longer name", "x" + credential, ""},
		{"another name", "narthex_claim=" + value, ""},
		{"another case", "Narthex_device=" + value, ""},
	} {
		t.Run(row.name, func(t *testing.T) { h.assertDevice(t, row.cookie, row.id) })
	}
	if held, err := h.service.Permissions(t.Context(), "00000000-0000-4000-8000-000000000000"); len(
		held,
	) != 0 ||
		err != nil {
		t.Errorf("permissions of an unknown device %v, want none; error %v", held, err)
	}
}

// TestRevokedDeviceIsNobodyAmongOthers: simultaneous callers share one query.
func TestRevokedDeviceIsNobodyAmongOthers(t *testing.T) {
	t.Parallel()
	h := setup(t)
	kept, _ := h.pair(t, "stage")
	revoked, _ := h.pair(t, "stage")
	h.assertSend(t, revoking(revoked.ID), 200, "")
	hash := func(id string) []byte {
		text := h.text(t, "SELECT encode(credential_hash, 'hex') FROM core.device WHERE id = $1::uuid", id)
		bytes, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	got, err := h.store.HoldersTogether(t.Context(), hash(revoked.ID), hash(kept.ID), hash(revoked.ID))
	if want := []string{"", kept.ID, ""}; err != nil || !slices.Equal(got, want) {
		t.Errorf("holders of a revoked, a valid and the revoked credential: %q, %v; want %q", got, err, want)
	}
}

// nextInAlphabet returns a character that differs from letter only in bits that the encoding of 32 bytes does
// not use.
func nextInAlphabet(letter byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return alphabet[strings.IndexByte(alphabet, letter)+1]
}

var strangers = map[string]http.Header{
	"no cookie": {},
	"unrelated": {
		"Cookie": {
			"theme=dark; " +
				"narthex_session=0123456789012345678901234567890123456789012.0123456789012345678901234567890123456789012",
		},
	},
}

// A request without our cookie uses no database (NewStore(nil) would panic) and allocates nothing.
func TestRequestWithoutCookieUsesNoDatabase(t *testing.T) {
	service, err := devices.New(
		devices.Config{
			Store:    devices.NewStore(nil),
			Displays: &displays{},
			Limiter:  unlimited{},
			Log:      zap.NewNop(),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, header := range strangers {
		r := &http.Request{Header: header}
		if n := testing.AllocsPerRun(100, func() { _, _ = service.Resolve(t.Context(), r) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

// The cookie is set again, unchanged and for 400 days, once it is more than 7 days old. Of many requests at
// the same time, one sets it.
func TestRenew(t *testing.T) {
	t.Parallel()
	h := setup(t)
	_, credential := h.pair(t, "stage")
	unknown, _ := devices.NewSecret()
	renew := func(cookie string) []string {
		t.Helper()
		header := http.Header{}
		if err := h.service.Renew(
			t.Context(), header, request{method: "GET", path: "/", cookie: cookie}.build(t),
		); err != nil {
			t.Error(err)
		}
		return header["Set-Cookie"]
	}
	h.ageRows(t, "6 days 23 hours 59 minutes")
	if set := renew(credential); set != nil {
		t.Errorf("renewal before 7 days: Set-Cookie %v, want none", set)
	}
	h.ageRows(t, "1 minute")
	for _, cookie := range []string{"", "narthex_device=x", "narthex_device=" + unknown} {
		if set := renew(cookie); set != nil {
			t.Errorf("renewal with the cookie %q: Set-Cookie %v, want none", cookie, set)
		}
	}
	var renewals atomic.Int32
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			for _, line := range renew(credential) {
				renewals.Add(1)
				if line != credential+"; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax" {
					t.Errorf("renewal: Set-Cookie %s, want the same credential for 400 days", line)
				}
			}
		})
	}
	callers.Wait()
	if n := renewals.Load(); n != 1 {
		t.Errorf("20 requests at once renewed the cookie %d times, want once", n)
	}
	h.ageRows(t, "8 days")
	device := h.text(t, "SELECT id::text FROM core.device")
	h.assertSend(t, revoking(device), 200, "")
	if set := renew(credential); set != nil {
		t.Errorf("renewal of a revoked device: Set-Cookie %v, want none", set)
	}
}
