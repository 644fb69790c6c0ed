package migrations

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

const scramRounds = 4096 // PostgreSQL's default; the passwords are random and long

// verifier returns the SCRAM verifier that PostgreSQL stores for a password (RFC 5803). CREATE ROLE contains
// it instead of the password, so the password appears neither in the server's statement log nor on a
// terminal. Passwords are ASCII letters and digits here, so SASLprep is not needed.
func verifier(password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramRounds, sha256.Size)
	if err != nil {
		return "", err
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramRounds, encode(salt), encode(stored[:]),
		encode(mac(salted, "Server Key"))), nil
}

func mac(key []byte, text string) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte(text))
	return hash.Sum(nil)
}
