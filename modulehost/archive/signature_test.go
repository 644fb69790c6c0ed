package archive_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
)

// keygen runs OpenSSH's program (.ci/openssh installs it).
func keygen(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "ssh-keygen", args...).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen %v: %v\n%s", args, err, output)
	}
}

// newKey makes a key and returns the path of the private key and the line of the public key.
func newKey(t *testing.T, kind string) (path, public string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "key")
	keygen(t, "-q", "-t", kind, "-N", "", "-C", "a comment", "-f", path)
	return path, strings.TrimSpace(mustRead(t, path+".pub"))
}

// sign writes the signature beside a package, as an author does.
func sign(t *testing.T, path, key string, options ...string) {
	t.Helper()
	keygen(t, append([]string{"-Y", "sign", "-q", "-f", key}, append(options, path)...)...)
}

// opensshAccepts reports whether ssh-keygen accepts the same files.
func opensshAccepts(t *testing.T, path, signers string) bool {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	command := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-n", "narthex-module",
		"-I", "anna@example.org", "-f", signers, "-s", path+".sig")
	command.Stdin = file
	return command.Run() == nil
}

// TestSignatures compares the decisions with OpenSSH's and marks the cases in which the platform is stricter.
func TestSignatures(t *testing.T) {
	t.Parallel()
	key, public := newKey(t, "ed25519")
	other, otherPublic := newKey(t, "ed25519")
	ecdsaKey, ecdsa := newKey(t, "ecdsa")
	rsaKey, rsa := newKey(t, "rsa")
	module := []string{"-n", "narthex-module"}
	const anna = "anna@example.org "
	for name, c := range map[string]struct {
		key      string
		options  []string
		signers  string
		prepare  func(t *testing.T, path string)
		want     error
		stricter bool // than OpenSSH
	}{
		"a key of the file": {key: key, options: module, signers: "# ours\n\n" + anna + public},
		"the second":        {key: key, options: module, signers: anna + otherPublic + "\n" + anna + public},
		"ECDSA":             {key: ecdsaKey, options: module, signers: anna + ecdsa},
		"RSA":               {key: rsaKey, options: module, signers: anna + rsa},
		"for its namespace": {key: key, options: module, signers: anna + `namespaces="git,narthex-*" ` + public},
		"within its time": {key: key, options: module,
			signers: anna + `valid-after="20200101",valid-before="29990101Z" ` + public},
		"tabs and two spaces": {key: key, options: module,
			signers: "anna@example.org\t" + `namespaces="narthex-module"  ` + public},
		"nobody's":    {key: key, options: module, signers: "", want: archive.ErrSignature},
		"another key": {key: other, options: module, signers: anna + public, want: archive.ErrSignature},
		"another purpose": {key: key, options: []string{"-n", "file"}, signers: anna + public,
			want: archive.ErrSignature},
		"a key for another purpose": {key: key, options: module, signers: anna + `namespaces="git" ` + public,
			want: archive.ErrSignature},
		"a key for all but this": {key: key, options: module,
			signers: anna + `namespaces="*,!narthex-module" ` + public, want: archive.ErrSignature},
		"expired": {key: key, options: module, signers: anna + `valid-before="20200101" ` + public,
			want: archive.ErrSignature},
		"not yet": {key: key, options: module, signers: anna + `valid-after="299901010000Z" ` + public,
			want: archive.ErrSignature},
		"a line with a mistake": {key: key, options: module, signers: anna + `valid-before="soon" ` + public,
			want: archive.ErrSignature},
		"an unknown option": {key: key, options: module, signers: anna + "hunter2 " + public,
			want: archive.ErrSignature},
		"an authority": {key: key, options: module, signers: anna + public + "\n" + anna + "cert-authority " +
			otherPublic, want: archive.ErrSignature, stricter: true},
		"SHA-256": {key: key, options: []string{"-n", "narthex-module", "-O", "hashalg=sha256"},
			signers: anna + public, want: archive.ErrSignature, stricter: true},
		"unsigned": {key: key, options: module, signers: anna + public,
			prepare: func(t *testing.T, path string) { must(t, os.Remove(path+".sig")) }, want: archive.ErrUnsigned},
		"no signature": {key: key, options: module, signers: anna + public,
			prepare: func(t *testing.T, path string) { must(t, os.WriteFile(path+".sig", []byte("x"), 0o644)) },
			want:    archive.ErrSignature},
		"another package, with its checksum": {key: key, options: module, signers: anna + public,
			prepare: func(t *testing.T, path string) {
				changed := pack(t, small(t, "people", "1.0.1"))
				must(t, os.WriteFile(path, []byte(mustRead(t, changed)), 0o644))
				sum, _, _ := strings.Cut(mustRead(t, changed+".sha256"), " ")
				must(t, os.WriteFile(path+".sha256", []byte(sum+"  "+filepath.Base(path)+"\n"), 0o644))
			}, want: archive.ErrSignature},
		"a changed byte": {key: key, options: module, signers: anna + public,
			prepare: func(t *testing.T, path string) {
				content := []byte(mustRead(t, path))
				content[len(content)/2] ^= 1
				must(t, os.WriteFile(path, content, 0o644))
			}, want: archive.ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, list := pack(t, small(t, "people", "1.0.0")), filepath.Join(t.TempDir(), "signers")
			must(t, os.WriteFile(list, []byte(c.signers+"\n"), 0o644))
			sign(t, path, c.key, c.options...)
			if c.prepare != nil {
				c.prepare(t, path)
			}
			dir, before := t.TempDir(), small(t, "people", "0.9.0")
			writeTree(t, filepath.Join(dir, "people"), before)
			signers, err := archive.ReadSigners(list)
			if err == nil {
				_, err = archive.Install(dir, path, platform, archive.Checks{Signers: signers})
			}
			if !errors.Is(err, c.want) {
				t.Errorf("installing it: %v, want %v", err, c.want)
			}
			if err == nil {
				before = small(t, "people", "1.0.0")
			} else if strings.Contains(err.Error(), filepath.Dir(path)) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error %q names a path or a value", err)
			}
			assertInstalled(t, dir, before)
			if accepted := opensshAccepts(t, path, list); accepted != (c.want == nil || c.stricter) {
				t.Errorf("ssh-keygen -Y verify accepts it: %v, the platform: %v", accepted, err)
			}
		})
	}
}

func TestSignersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, path := range []string{filepath.Join(t.TempDir(), "missing"), t.TempDir()} {
		if _, err := archive.ReadSigners(path); !errors.Is(err, archive.ErrSignature) ||
			strings.Contains(err.Error(), path) {
			t.Errorf("ReadSigners: %v, want %v without the path", err, archive.ErrSignature)
		}
	}
}
