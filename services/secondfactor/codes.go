package secondfactor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// codeHash is the only part of a recovery code that the database stores. Nobody can try 80 random bits, so it
// needs neither salt nor a slow hash.
type codeHash [sha256.Size]byte

const (
	codeCount = 10 // that a person has at once
	codeBytes = 10
	codeGroup = 4 // characters between two hyphens
)

// codeLetters has no letter that is easily taken for a digit.
var codeLetters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// newCodes makes a person's recovery codes, such as abcd-efgh-2345-6789, and what the database stores.
func newCodes() (codes []string, hashes [][]byte) {
	for range codeCount {
		var secret [codeBytes]byte
		_, _ = rand.Read(secret[:]) // never fails: it ends the process instead
		text := codeLetters.EncodeToString(secret[:])
		var groups []string
		for ; len(text) > 0; text = text[codeGroup:] {
			groups = append(groups, text[:codeGroup])
		}
		hash := sha256.Sum256(secret[:])
		codes, hashes = append(codes, strings.Join(groups, "-")), append(hashes, hash[:])
	}
	return codes, hashes
}

// parseCode reads a code as people type it: with or without hyphens and spaces, in any case.
func parseCode(text string) (hash codeHash, ok bool) {
	plain := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(text))
	secret, err := codeLetters.DecodeString(plain)
	if err != nil || len(plain) != codeLetters.EncodedLen(codeBytes) || len(secret) != codeBytes {
		return codeHash{}, false
	}
	return sha256.Sum256(secret), true
}
