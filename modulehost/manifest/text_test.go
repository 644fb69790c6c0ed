package manifest_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/randomtest"
)

func TestParseText(t *testing.T) {
	t.Parallel()
	four, limit := int64(4), int64(120)
	for _, row := range []struct {
		declaration manifest.Declaration
		values      map[string]any // text → value
		refused     []string
	}{
		{manifest.Declaration{Type: manifest.TypeString}, map[string]any{"": "", "true": "true", "007": "007",
			" é\n": " é\n"},
			[]string{"\x00", "a\x00", "\xff"}},
		{manifest.Declaration{Type: manifest.TypeString, MinLength: &four, MaxLength: &four},
			map[string]any{"日本語字": "日本語字"},
			[]string{"", "abc", "abcde"}},
		{manifest.Declaration{Type: manifest.TypeInteger},
			map[string]any{"0": int64(0), "-1": int64(-1), "9007199254740992": int64(1) << 53,
				"-9007199254740992": -int64(1) << 53},
			[]string{"", "-", "+1", "-0", "00", "007", "-07", "1e2", "1.0", "1.", "0x1", "1_000", " 1", "1 ", "1\n",
				"1\x00", "١", "true", "NaN",
				"9007199254740993", "-9007199254740993", "9223372036854775808", strings.Repeat("9", 1000)}},
		{manifest.Declaration{Type: manifest.TypeInteger, Minimum: &four, Maximum: &limit},
			map[string]any{"4": int64(4), "120": int64(120)},
			[]string{"3", "121", "-4"}},
		{manifest.Declaration{Type: manifest.TypeBoolean}, map[string]any{"true": true, "false": false},
			[]string{"", "TRUE", "True", "FALSE", "t", "f", "1", "0", "yes", " true", "true\n", "null"}},
		{manifest.Declaration{Type: manifest.TypeEnum, Values: []string{"a", "b"}},
			map[string]any{"a": "a", "b": "b"},
			[]string{"", "A", "c", "a ", "ab"}},
		{manifest.Declaration{Type: manifest.TypeURL},
			map[string]any{"https://example.org/?q#f": "https://example.org/?q#f", "HTTP://a": "HTTP://a"},
			[]string{"", "example.org", "//a", "ftp://a", "http:", "http://", "javascript:1", "http://a b",
				"http://a\n", "http://a\x00"}},
		{manifest.Declaration{Type: manifest.TypeSecret}, nil, []string{"", "x", "true", "1"}},
		{manifest.Declaration{Type: "list"}, nil, []string{"", "x", "true", "1"}},
	} {
		for text, want := range row.values {
			if got, ok := row.declaration.ParseText(text); !ok || got != want {
				t.Errorf("%s %q: got %v, %v", row.declaration.Type, text, got, ok)
			}
			if got := row.declaration.Text(want); got != text {
				t.Errorf("%s %v: written as %q", row.declaration.Type, want, got)
			}
		}
		for _, text := range row.refused {
			if got, ok := row.declaration.ParseText(text); ok {
				t.Errorf("%s %q: read as %v", row.declaration.Type, text, got)
			}
		}
	}
}

// TestTextRoundTrip checks that an accepted value is read back unchanged, and that no value has two texts.
func TestTextRoundTrip(t *testing.T) {
	randomtest.Rapid(t)
	t.Parallel()
	const exact = int64(1) << 53
	lengths, numbers := rapid.Ptr(rapid.Int64Range(0, 9), true), rapid.Ptr(rapid.Int64Range(-exact, exact), true)
	for kind, likely := range map[manifest.Type]*rapid.Generator[string]{
		manifest.TypeString:  rapid.String(),
		manifest.TypeInteger: rapid.StringMatching(`[-+]?[0-9]{1,17}([.e][0-9])?`),
		manifest.TypeBoolean: rapid.SampledFrom([]string{"true", "false", "TRUE", "1"}),
		manifest.TypeEnum:    rapid.SampledFrom([]string{"a", "true", "7", "b"}),
		manifest.TypeURL:     rapid.StringMatching(`https?://[a-z.:/?0-9%]{0,9}`),
		manifest.TypeSecret:  rapid.Just("secret"),
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			read := 0
			rapid.Check(t, func(t *rapid.T) {
				d := manifest.Declaration{Type: kind, Values: []string{"a", "true", "7"}}
				d.MinLength, d.MaxLength = lengths.Draw(t, "minLength"), lengths.Draw(t, "maxLength")
				d.Minimum, d.Maximum = numbers.Draw(t, "minimum"), numbers.Draw(t, "maximum")
				text := rapid.OneOf(likely, rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), asText)).Draw(t,
					"text")
				for _, value := range []any{text, rapid.Bool().Draw(t, "bool"), rapid.Int64().Draw(t, "number")} {
					if got, ok := d.ParseText(d.Text(value)); d.Accepts(value) && (!ok || got != value) {
						t.Errorf("%T %v comes back as %T %v, %v", value, value, got, got, ok)
					}
				}
				if got, ok := d.ParseText(text); ok {
					read++
					if !d.Accepts(got) || d.Text(got) != text {
						t.Errorf("%q is read as %T %v, written as %q", text, got, got, d.Text(got))
					}
				}
			})
			if (read > 0) != (kind != manifest.TypeSecret) && !testing.Short() {
				t.Errorf("%d texts were read", read)
			}
		})
	}
}

func asText(b []byte) string { return string(b) }
