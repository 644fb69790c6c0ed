package devices_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// variants returns a cookie's value and other encodings of its bytes.
func variants(t *testing.T, value string) []string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		t.Fatal(err)
	}
	return []string{value, hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw)}
}

func TestSecretsHaveOneFormat(t *testing.T) {
	t.Parallel()
	value, hash := devices.NewSecret()
	if again, ok := devices.ParseSecret(value); !ok || again != hash {
		t.Error("what was minted does not open")
	}
	if other, _ := devices.NewSecret(); other == value {
		t.Error("the same secret twice")
	}
	for _, wrong := range []string{
		"", value[:42], value + "A", value + "=", " " + value[1:],
		strings.Repeat("A", 42) + "\n", "\r" + strings.Repeat("A", 42),
		"+" + value[1:], value[:42] + string(nextInAlphabet(value[42]))} {
		if _, ok := devices.ParseSecret(wrong); ok {
			t.Errorf("ParseSecret(%q): accepted, want it refused", wrong)
		}
	}
}

// Only values of newSecret are accepted, and the look-up works with every Cookie header.
func FuzzCookie(f *testing.F) {
	value, _ := devices.NewSecret()
	for _, seed := range []string{
		"", value, "narthex_claim=" + value, "a=b; narthex_claim=" + value + ";", ";;=;narthex_claim",
		strings.Repeat("A", 42) + "\n",
	} {
		f.Add(seed)
	}
	service, err := devices.New(
		devices.Config{
			Store:    devices.NewStore(nil),
			Displays: &displays{},
			Limiter:  unlimited{},
			Log:      zap.NewNop(),
		},
	)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := devices.ParseSecret(text); ok {
			raw, err := base64.RawURLEncoding.DecodeString(text)
			if err != nil || len(raw) != 32 || base64.RawURLEncoding.EncodeToString(raw) != text {
				t.Errorf("ParseSecret(%q): accepted, want canonical base64 of 32 bytes only", text)
			}
		}
		found, ok := service.FindClaim(http.Header{"Cookie": {text}})
		want, wanted := firstCookie(text, "narthex_claim")
		if found != want || ok != wanted {
			t.Errorf("%q: found %q %v, want %q %v", text, found, ok, want, wanted)
		}
	})
}

// firstCookie is a second, longer implementation of the look-up.
func firstCookie(line, name string) (string, bool) {
	for _, pair := range strings.Split(line, ";") {
		key, value, ok := strings.Cut(strings.TrimLeft(pair, " \t"), "=")
		if ok && key == name {
			return strings.TrimRight(value, " \t"), true
		}
	}
	return "", false
}

func TestCodes(t *testing.T) {
	t.Parallel()
	first := make(map[byte]int)
	for range 10_000 {
		code := devices.RandomCode()
		if !devices.IsCode(code) || !codeForm.MatchString(code) {
			t.Fatalf("RandomCode: %q, want six digits", code)
		}
		first[code[0]]++
	}
	for digit := byte('0'); digit <= '9'; digit++ { // expected a thousand each, within six standard deviations
		if first[digit] < 820 || first[digit] > 1180 {
			t.Errorf("%c came first %d times, want 820 to 1180", digit, first[digit])
		}
	}
	for _, wrong := range []string{"", "12345", "1234567", "12345a", " 12345", "+12345", "١٢٣", "12345\n"} {
		if devices.IsCode(wrong) {
			t.Errorf("IsCode(%q): true, want false", wrong)
		}
	}
}

// The limit of open pairings distinguishes clients exactly like the rate limiter.
func TestClientsAreWhomTheLimiterCounts(t *testing.T) {
	t.Parallel()
	h := setup(t)
	clients := []netip.Addr{{}}
	for _, text := range []string{
		"192.0.2.1", "192.0.2.2", "::ffff:192.0.2.1", "2001:db8:0:1::1", "2001:db8:0:1:ffff::", "2001:db8:0:2::1",
		"::1", "::",
	} {
		clients = append(clients, netip.MustParseAddr(text))
	}
	for _, a := range clients {
		for _, b := range clients {
			same := ratelimit.KeyOf(a, "x") == ratelimit.KeyOf(b, "x")
			if (h.service.ClientKeyOf(a) == h.service.ClientKeyOf(b)) != same {
				t.Errorf("%v and %v: one client for the limiter: %v, and the opposite for pairings", a, b, same)
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ agent, want string }{
		{"", "Unknown browser"},
		{
			"Mozilla/5.0 (X11; Linux aarch64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 " +
				"Safari/537.36",
			"Chromium on Linux",
		},
		{
			"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"HeadlessChrome/139.0.0.0 Safari/537.36",
			"Chromium on Linux",
		},
		{
			"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
				"Version/17.5 Mobile/15E148 Safari/604.1",
			"Safari on iPad",
		},
		{
			"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
				"Gecko) CriOS/126.0 Mobile/15E148 Safari/604.1",
			"Chrome on iPhone",
		},
		{
			"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0",
			"Edge on Windows",
		},
		{
			"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:141.0) Gecko/20100101 Firefox/141.0",
			"Firefox on macOS",
		},
		{
			"Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"SamsungBrowser/26.0 Chrome/122.0.0.0 Safari/537.36",
			"Samsung Internet on Android",
		},
		{
			"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"Chrome/94.0.4606.128 Safari/537.36",
			"Chromium on webOS",
		},
		{
			"Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"Version/6.0 TV Safari/537.36",
			"Safari on Tizen",
		},
		{"curl/8.5.0", "Unknown browser"},
		{"something (Linux)", "Unknown browser on Linux"},
		{"<b>Approve me!</b>\x00 Firefox/", "Firefox"},
	} {
		if got := devices.Describe(row.agent); got != row.want {
			t.Errorf("User-Agent %q: described as %q, want %q", row.agent, got, row.want)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("Edg OPR/ iPad")
	f.Fuzz(func(t *testing.T, agent string) {
		got := devices.Describe(agent)
		if utf8.RuneCountInString(got) > 80 ||
			strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("Describe(%q): %q, want at most 80 printable ASCII characters", agent, got)
		}
	})
}
