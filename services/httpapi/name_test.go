package httpapi_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
)

func TestIsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Anna": true, "7": true, "日本": true, "Ünal Ö.": true, " Foyer ": true, "علی\u200cرضا": true,
		"ක්\u200dෂ": true, "👍 ok": true,
		strings.Repeat("ü", 20): true, strings.Repeat("x", 21): false, "": false, " ": false, "—": true,
		"\u00a0": false, "👍": true,
		"Anna\u202e": false, "\u2066Anna\u2069": false, "A\u200bnna": false, "A\u00adnna": false,
		"A\u2028B": false, "A\u2029B": false,
		"A\nB": false, "A\x00B": false, "\u200d": false, "\u3164": false, "\uffa0": false, "\u2800": false,
		"A\U000e0041": false,
		"\ufeffAnna":  false, "Anna\u061c": false, "A\xff": false, "\u0301": false,
	} {
		if got := httpapi.IsName(name, 20); got != want {
			t.Errorf("IsName(%+q): got %v, want %v", name, got, want)
		}
	}
}
