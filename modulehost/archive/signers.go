package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	signatureNamespace = "narthex-module"
	maxSignersBytes    = 1 << 20

	namedFile = "The file that SERVICE_MODULE_SIGNERS names"
)

// Signers are the keys of an OpenSSH allowed_signers file, as ssh-keygen(1) describes it under ALLOWED
// SIGNERS. Each of its principals may sign every module.
type Signers struct {
	lines []signer
	now   func() time.Time
}

// signer is one line of the file.
type signer struct {
	key           ssh.PublicKey
	namespaces    []string // patterns; nil: every namespace
	after, before time.Time
}

// ReadSigners reads an allowed_signers file. A line that cannot be parsed refuses the whole file, because its
// restrictions are unknown. A certificate authority also refuses it, because that is not supported. Error:
// PACKAGE_SIGNATURE_INVALID, with the line's number.
func ReadSigners(path string) (*Signers, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return nil, badSigners(err, namedFile+" cannot be read; check its permissions.")
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSignersBytes+1))
	if err != nil || len(content) > maxSignersBytes {
		return nil, badSigners(err, namedFile+" cannot be read, or has more than 1 MiB.")
	}
	signers := &Signers{now: time.Now}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		parsed, err := parseSigner(line)
		if err != nil {
			return nil, badSigners(err, fmt.Sprintf(namedFile+" has a mistake in line %d; "+
				"ssh-keygen(1) describes it under ALLOWED SIGNERS.", number))
		}
		signers.lines = append(signers.lines, parsed)
	}
	return signers, nil
}

func badSigners(cause error, reason string) error {
	return refusal{code: ErrSignature, cause: cause, reason: reason}
}

// parseSigner reads "principals [options] keytype key [comment]". Everything after the principals has the
// form of a line of authorized_keys.
func parseSigner(line []byte) (signer, error) {
	_, rest, found := bytes.Cut(line, []byte(" "))
	if tab := bytes.IndexByte(line, '\t'); tab >= 0 && (!found || tab < bytes.IndexByte(line, ' ')) {
		rest, found = line[tab+1:], true
	}
	if !found {
		return signer{}, errors.New("no key")
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey(rest)
	if err != nil {
		return signer{}, err
	}
	s := signer{key: key}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "namespaces":
			s.namespaces = strings.Split(value, ",")
		case "valid-after":
			s.after, err = parseTime(value)
		case "valid-before":
			s.before, err = parseTime(value)
		default: // cert-authority, or one that this version does not know
			err = errors.New("unsupported option")
		}
		if err != nil {
			return signer{}, err
		}
	}
	return s, nil
}

// parseTime reads YYYYMMDD[HHMM[SS]], in the system's time zone, or in UTC if a Z follows.
func parseTime(text string) (time.Time, error) {
	zone := time.Local
	if digits, utc := strings.CutSuffix(text, "Z"); utc {
		text, zone = digits, time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(layout) == len(text) {
			return time.ParseInLocation(layout, text, zone)
		}
	}
	return time.Time{}, errors.New("not a time")
}

// allow reports whether a key may sign packages now.
func (s *Signers) allow(key ssh.PublicKey) bool {
	now := s.now()
	return slices.ContainsFunc(s.lines, func(line signer) bool {
		return bytes.Equal(line.key.Marshal(), key.Marshal()) &&
			(line.namespaces == nil || matchesList(signatureNamespace, line.namespaces)) &&
			(line.after.IsZero() || !now.Before(line.after)) && (line.before.IsZero() || !now.After(line.before))
	})
}

// matchesList matches name as ssh_config(5) describes under PATTERNS: a pattern after an exclamation mark
// that matches name refuses it, even if another pattern matches.
func matchesList(name string, patterns []string) (matched bool) {
	for _, pattern := range patterns {
		pattern, negated := strings.CutPrefix(pattern, "!")
		if !matches(name, pattern) {
			continue
		}
		if negated {
			return false
		}
		matched = true
	}
	return matched
}

// matches supports * for any number of characters, and ? for one.
func matches(name, pattern string) bool {
	switch {
	case pattern == "":
		return name == ""
	case pattern[0] == '*':
		return matches(name, pattern[1:]) || name != "" && matches(name[1:], pattern)
	case name == "" || pattern[0] != '?' && pattern[0] != name[0]:
		return false
	}
	return matches(name[1:], pattern[1:])
}
