package storage_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/storage"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for key, valid := range map[string]bool{
		"a": true, "a/b": true, "Az09!_.*'()-/x": true, "...": true, ".a/b..": true, strings.Repeat("k", 512): true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, ".": false, "a/./b": false, "../a": false,
		"a/..": false,
		"a b":  false, "ä": false, "a\x00": false, "a\n": false, "a?b": false, "a%2fb": false, `a\b`: false,
		"a+b": false, "a~": false,
		"a:b": false, "a&b": false, strings.Repeat("k", 513): false,
	} {
		if storage.ValidKey(key) != valid {
			t.Errorf("ValidKey(%q): %v, want %v", key, !valid, valid)
		}
	}
}

// FuzzKey compares validKey with the documented rules, written as regular expressions.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"a/b", "", ".", "a/../b", "a//b", "!_.*'()-", "ä", "a\xff",
		strings.Repeat("a/", 256)} {
		f.Add(seed)
	}
	characters := regexp.MustCompile(`^[A-Za-z0-9!_.*'()/-]{1,512}$`)
	segments := regexp.MustCompile(`(^|/)\.{0,2}(/|$)`)
	f.Fuzz(func(t *testing.T, key string) {
		want := characters.MatchString(key) && !strings.HasSuffix(key, "\n") && !segments.MatchString(key)
		if storage.ValidKey(key) != want {
			t.Errorf("ValidKey(%q): %v, want %v", key, !want, want)
		}
	})
}

func TestPhysicalNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prefix, module, bucket, want string }{
		{"narthex", "announcements", "images", "narthex-announcements-images-9bf9c50830"},
		{"narthex", strings.Repeat("m", 48), strings.Repeat("b", 32),
			"narthex-" + strings.Repeat("m", 44) + "-16cbcab961"},
	} {
		if got := storage.PhysicalName(c.prefix, c.module, c.bucket); got != c.want || len(got) > 63 {
			t.Errorf("storage.PhysicalName: got %v, want %v; number of got %v, want at most %v",
				got, c.want, len(got), 63)
		}
	}
	// The same letters, divided differently.
	if storage.PhysicalName("n", "a-b", "c") == storage.PhysicalName("n", "a", "b-c") {
		t.Error("two buckets share a name")
	}
}
