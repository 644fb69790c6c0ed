package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
)

// maxManifest is far more than the manifest of a million objects.
const maxManifest = 512 << 20

// read reads a backup once, from its first byte to its last, and returns the manifest. visit gets each part
// while it is read, before its checksum is verified. With visit nil the file is only checked.
//
// Every byte is checked. The manifest contains the SHA-256 of each part, and the manifest's header that of
// the manifest. Headers and padding are compared with those that the writer would have written.
func read(from io.Reader, visit func(name string, content io.Reader) error) (Manifest, error) {
	raw := &counted{from: from, sum: crc32.New(castagnoli)}
	entries := tar.NewReader(raw)
	again := crc32.New(castagnoli) // of the tar that the writer makes of the same parts
	copied := tar.NewWriter(again)
	var parts []Part
	for {
		entry, err := entries.Next()
		if err != nil {
			return Manifest{}, broken(err)
		}
		if entry.Name == manifestName {
			return readManifest(entries, raw, copied, again, parts)
		}
		if err := copied.WriteHeader(header(entry.Name, entry.Size)); err != nil {
			return Manifest{}, fail(ErrInvalid, "", err)
		}
		digest := sha256.New()
		content := io.TeeReader(entries, io.MultiWriter(digest, copied))
		if visit != nil {
			if err := visit(entry.Name, content); err != nil {
				return Manifest{}, err
			}
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return Manifest{}, broken(err)
		}
		parts = append(parts,
			Part{Name: entry.Name, Size: entry.Size, SHA256: hex.EncodeToString(digest.Sum(nil))})
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readManifest reads the last part and the end of the file, and verifies the checksums.
func readManifest(
	entries *tar.Reader, raw *counted, copied *tar.Writer, again hash.Hash32, parts []Part,
) (m Manifest, err error) {
	content, err := io.ReadAll(io.LimitReader(entries, maxManifest))
	if err != nil {
		return m, broken(err)
	}
	if err := errors.Join(copied.WriteHeader(manifestHeader(content)), writeAll(copied, content),
		copied.Close()); err != nil {
		return m, fail(ErrInvalid, "", err)
	}
	if _, err := entries.Next(); err != io.EOF {
		return m, broken(err)
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return m, broken(err)
	}
	if raw.sum.Sum32() != again.Sum32() {
		return m, fail(ErrInvalid, "The file has been changed or damaged.", nil)
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(content, &version); err != nil {
		return m, fail(ErrInvalid, "", err)
	}
	if version.Format != formatVersion {
		return m, fail(ErrInvalid, "The backup was made by a newer platform; use a program of that version.", nil)
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return m, fail(ErrInvalid, "", err)
	}
	same := slices.EqualFunc(m.Parts, parts, func(a, b Part) bool {
		return a.Name == b.Name && a.Size == b.Size && a.SHA256 == b.SHA256
	})
	if !same {
		return m, fail(ErrInvalid, "The file has been changed or damaged.", nil)
	}
	return m, nil
}

func writeAll(to io.Writer, content []byte) error {
	_, err := to.Write(content)
	return err
}

// broken returns ErrIncomplete for a file that ends too early, and ErrInvalid for other errors.
func broken(err error) error {
	if failed := (*failure)(nil); errors.As(err, &failed) {
		return err // already has a code
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fail(ErrIncomplete, "", err)
	}
	return fail(ErrInvalid, "", err)
}

// counted computes the checksum of what was read.
type counted struct {
	from io.Reader
	sum  hash.Hash32
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	_, _ = c.sum.Write(p[:n]) // never fails
	return n, err
}
