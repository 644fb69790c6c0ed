package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// partSize is how many bytes of a dump are held in memory, because a tar needs the length of an entry before
// its content.
const partSize = 4 << 20

// writer adds parts to a backup. It is used by one goroutine.
type writer struct {
	tar    *tar.Writer
	parts  []Part
	buffer []byte // for one part of a dump
}

func newWriter(to io.Writer) *writer { return &writer{tar: tar.NewWriter(to)} }

// header returns the only possible header of a part, so that a reader can detect a changed byte in it.
func header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600}
}

// manifestHeader contains the digest of the manifest, because no part follows that could.
func manifestHeader(content []byte) *tar.Header {
	h := header(manifestName, int64(len(content)))
	sum := sha256.Sum256(content)
	h.PAXRecords = map[string]string{"NARTHEX.sha256": hex.EncodeToString(sum[:])}
	return h
}

// stream adds all data from from, in numbered parts below folder, and returns the number of bytes.
func (w *writer) stream(folder string, from io.Reader) (total int64, err error) {
	if w.buffer == nil {
		w.buffer = make([]byte, partSize)
	}
	for number := 1; ; number++ {
		n, err := io.ReadFull(from, w.buffer)
		if n > 0 {
			if err := w.bytes(fmt.Sprintf("%s%06d", folder, number), w.buffer[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return total, nil
		default:
			return total, err
		}
	}
}

func (w *writer) bytes(name string, content []byte) error {
	if err := w.tar.WriteHeader(header(name, int64(len(content)))); err != nil {
		return err
	}
	if _, err := w.tar.Write(content); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	w.parts = append(w.parts, Part{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])})
	return nil
}

// object adds an object of a known size. It returns an error if the object is shorter or longer.
func (w *writer) object(name, contentType string, size int64, from io.Reader) error {
	if err := w.tar.WriteHeader(header(name, size)); err != nil {
		return err
	}
	digest := sha256.New()
	copied, err := io.Copy(w.tar, io.TeeReader(from, digest))
	if err == nil && copied != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	w.parts = append(w.parts,
		Part{Name: name, Size: size, SHA256: hex.EncodeToString(digest.Sum(nil)), Type: contentType})
	return nil
}

// close writes the manifest, with the parts so far, and the end of the tar.
func (w *writer) close(m Manifest) error {
	m.Parts = w.parts
	content, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := w.tar.WriteHeader(manifestHeader(content)); err != nil {
		return err
	}
	if _, err := w.tar.Write(content); err != nil {
		return err
	}
	return w.tar.Close()
}
