package identity_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/identity"
)

func TestPasswordLength(t *testing.T) {
	t.Parallel()
	rows := []struct {
		password string
		fits     bool
	}{
		{strings.Repeat("a", 7), false},
		{strings.Repeat("a", 8), true},
		{strings.Repeat("a", 128), true},
		{strings.Repeat("a", 129), false},
		{strings.Repeat("é", 128), true},
		{strings.Repeat("é", 129), false},
		{strings.Repeat("😀", 3), false}, // two units each
		{strings.Repeat("😀", 4), true},
		{strings.Repeat("😀", 64), true},
		{strings.Repeat("😀", 65), false},
		{strings.Repeat("e\u0301", 4), true}, // counted before normalising
		{strings.Repeat(" ", 8), true},
		{"\x00\x00\x00\x00\x00\x00\x00\x00", true},
		{"not \xff UTF-8", false}, // a browser cannot send it
	}
	for _, row := range rows {
		if got := identity.PasswordFits(row.password); got != row.fits {
			t.Errorf("PasswordFits(%q): %v, want %v", row.password, got, row.fits)
		}
	}
}

func TestPasswordHash(t *testing.T) {
	t.Parallel()
	stored := identity.HashPassword("Straße Zoë 12")
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") ||
		stored == identity.HashPassword("Straße Zoë 12") {
		t.Errorf("HashPassword: %s, want argon2id with its parameters and a salt of its own", stored)
	}
	rows := []struct {
		password string
		matches  bool
	}{
		{"Straße Zoë 12", true},
		{"Straße Zoe\u0308 12", true}, // decomposed
		{"Straße Zoë １２", true},       // full-width
		{"straße Zoë 12", false},
		{"Straße Zoë 12 ", false},
		{"", false},
	}
	for _, row := range rows {
		if got, err := identity.VerifyPassword(t.Context(), stored, row.password); err != nil ||
			got != row.matches {
			t.Errorf("VerifyPassword(%q): %v, want %v; error %v", row.password, got, row.matches, err)
		}
	}
	if got, err := identity.VerifyPassword(t.Context(), "", ""); got || err != nil {
		t.Errorf("nobody's password matched: %v, %v", got, err)
	}
}

// A test vector of the reference implementation (argon2 -id -v 13) shows that the stored strings are
// compatible with others.
func TestHashOfTheReferenceImplementation(t *testing.T) {
	t.Parallel()
	const older = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if got, err := identity.VerifyPassword(t.Context(), older, "password"); !got || err != nil {
		t.Errorf("VerifyPassword with the reference hash: %v, want true; error %v", got, err)
	}
}

func TestUnreadableHash(t *testing.T) {
	t.Parallel()
	good := passwordHash()
	for _, stored := range []string{
		"x", "$", "$$$$$", strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "p=1", "p=0", 1),
		strings.Replace(good, "m=19456", "m=4194304", 1),
		strings.Replace(good, "t=2", "t=02", 1), strings.Replace(good, "t=2", "t=2000", 1), good + "$",
		good[:len(good)-4], good + "=",
	} {
		if got, err := identity.VerifyPassword(t.Context(), stored, password); got || err == nil {
			t.Errorf("VerifyPassword with the hash %q: %v, error %v; want false and an error", stored, got,
				err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	local := strings.Repeat("a", 64)
	long := local + "@" + strings.Repeat("b.", 91) + "example"
	rows := []struct{ text, want string }{
		{"anna@example.org", "anna@example.org"},
		{"Anna.B+c_d-e'f@Sub.Example.ORG", "anna.b+c_d-e'f@sub.example.org"},
		{"a@b.cd", "a@b.cd"},
		{"a@xn--bcher-kva.example", "a@xn--bcher-kva.example"},
		{"a@1.2.example", "a@1.2.example"},
		{local + "@example.org", local + "@example.org"},
		{"a" + local + "@example.org", ""},
		{long, long},
		{long + "s", ""},
		{"", ""}, {"anna", ""}, {"@example.org", ""}, {"a@b", ""}, {"user@localhost", ""}, {"a@@example.org", ""},
		{".a@example.org", ""}, {"a.@example.org", ""}, {"a..b@example.org", ""}, {"a'@example.org", ""},
		{
			"a@-b.example",
			"",
		}, {"a@b..example", ""}, {"a@example.o", ""}, {"a@1.2.3.4", ""}, {"a@example.org.", ""},
		{
			`"a b"@example.org`,
			"",
		}, {"a@[1.2.3.4]", ""}, {"a%b@example.org", ""}, {"a!b@example.org", ""}, {"ä@example.org", ""},
		{
			"a@exämple.org",
			"",
		}, {" a@example.org", ""}, {"a@example.org ", ""}, {"a@example.org\n", ""}, {"a\x00@example.org", ""},
	}
	for _, row := range rows {
		if got, ok := identity.ParseAddress(row.text); got != row.want || ok != (row.want != "") {
			t.Errorf("ParseAddress(%q): %q, %v, want %q", row.text, got, ok, row.want)
		}
		if row.want != "" && !mail.IsMailbox(row.want) {
			t.Errorf("%q can be an account's address, but no mail is sent to it", row.text)
		}
	}
}
