package manifest_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

func TestAccepts(t *testing.T) {
	t.Parallel()
	two, four := int64(2), int64(4)
	var (
		text    = manifest.Declaration{Type: manifest.TypeString}
		word    = manifest.Declaration{Type: manifest.TypeString, MinLength: &two, MaxLength: &four}
		number  = manifest.Declaration{Type: manifest.TypeInteger}
		range24 = manifest.Declaration{Type: manifest.TypeInteger, Minimum: &two, Maximum: &four}
		choice  = manifest.Declaration{Type: manifest.TypeEnum, Values: []string{"a", "b"}}
		link    = manifest.Declaration{Type: manifest.TypeURL}
		secret  = manifest.Declaration{Type: manifest.TypeSecret}
		boolean = manifest.Declaration{Type: manifest.TypeBoolean}
	)
	for _, c := range []struct {
		name        string
		declaration manifest.Declaration
		value       any
		want        bool
	}{
		{"any text", text, strings.Repeat("x", 10_000), true}, {"empty text", text, "", true},
		{"NUL", text, "a\x00", false}, {"broken UTF-8", text, "a\xff", false},
		{"number as text", text, int64(1), false},
		{"too short", word, "é", false}, {"short enough in characters", word, "éé", true},
		{"long in bytes only", word, "日本語字", true}, {"too long", word, "abcde", false},
		{"integer", number, int64(1) << 53, true}, {"beyond exact", number, int64(1)<<53 + 1, false},
		{"below exact", number, -int64(1)<<53 - 1, false}, {"text as integer", number, "1", false},
		{"float as integer", number, 1.0, false}, {"int as integer", number, 1, false},
		{"under", range24, int64(1), false}, {"least", range24, int64(2), true},
		{"most", range24, int64(4), true}, {"over", range24, int64(5), false},
		{"chosen", choice, "b", true}, {"not offered", choice, "B", false},
		{"true", boolean, true, true}, {"word for true", boolean, "true", false},
		{"bool for text", text, true, false},
		{"nothing", text, nil, false}, {"secret", secret, "x", false},
		{"https", link, "https://example.org", true}, {"capitals", link, "HTTP://example.org/x?y#z", true},
		{"IPv6", link, "http://[::1]:80/", true}, {"no host", link, "http://:80/", false},
		{"no slashes", link, "http:example.org", false},
		{"javascript", link, "javascript:alert(1)", false}, {"relative", link, "//example.org", false},
		{"space", link, "http://example.org/ x", false}, {"line", link, "http://example.org/\n", false},
	} {
		if got := c.declaration.Accepts(c.value); got != c.want {
			t.Errorf("%s: Accepts(%v) is %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestSecretVariable(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"apiToken": "API_TOKEN", "baseURL": "BASE_URL", "key": "KEY", "s3Key": "S3_KEY",
		"oauth2Token": "OAUTH2_TOKEN",
		"myURLPath":   "MY_URL_PATH", "aB": "A_B", "aBC": "A_BC", "x9": "X9",
	} {
		if got := manifest.SecretVariable("church-tools",
			key); got != "SERVICE_MODULE_SECRET__CHURCH_TOOLS__"+want {
			t.Errorf("variable of the secret %s: %s, want it to end with %s", key, got, want)
		}
	}
}
