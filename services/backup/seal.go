package backup

import (
	"bufio"
	"errors"
	"io"
	"os"

	"filippo.io/age"
)

// seal returns the writer for the tar: to itself, or with recipients one that encrypts for their age keys and
// writes to to. The file is complete only after closeSeal.
func seal(to io.Writer, recipients []string) (w io.Writer, closeSeal func() error, err error) {
	if len(recipients) == 0 {
		return to, func() error { return nil }, nil
	}
	keys := make([]age.Recipient, 0, len(recipients))
	for _, text := range recipients {
		key, err := age.ParseX25519Recipient(text)
		if err != nil {
			return nil, nil, fail(ErrInvalid, "A recipient is not an age public key (age1...).", err)
		}
		keys = append(keys, key)
	}
	sealed, err := age.Encrypt(to, keys...)
	if err != nil {
		return nil, nil, fail(ErrFailed, "", err)
	}
	return sealed, sealed.Close, nil
}

// ageIntroduction is the beginning of every encrypted file.
const ageIntroduction = "age-encryption.org/"

// open returns a reader of the tar in a backup. identity is the path of a file of age keys; "": none.
func open(from io.Reader, identity string) (io.Reader, error) {
	file := bufio.NewReaderSize(from, 1<<20)
	begins, err := file.Peek(len(ageIntroduction))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fail(ErrInvalid, "The file cannot be read.", err)
	}
	if string(begins) != ageIntroduction {
		return file, nil
	}
	if identity == "" {
		return nil, fail(ErrInvalid, "The backup is encrypted; --identity names the file of its age key.", nil)
	}
	keys, err := readIdentities(identity)
	if err != nil {
		return nil, fail(ErrInvalid, "The file that --identity names has no age key.", err)
	}
	plain, err := age.Decrypt(file, keys...)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return nil, fail(ErrInvalid, "The backup was encrypted for another age key.", err)
	}
	if err != nil {
		return nil, broken(err)
	}
	return plain, nil
}

func readIdentities(path string) ([]age.Identity, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	keys, err := age.ParseIdentities(file)
	return keys, errors.Join(err, file.Close())
}
