package storage

import (
	"bytes"
	"io"
	"os"
)

const (
	// pieceSize is how much memory a body uses, in bytes, and how much a module sends at once.
	pieceSize = 256 << 10
	// maxSpool is how much disk space the bodies of one module may use, in bytes.
	maxSpool = 256 << 20
)

// spooled is a complete body, before any byte is sent to the service. S3 requires its length and its hash
// first, and a source that fails or does not end must leave nothing in the storage. Up to a piece it is kept
// in memory, a longer body in a file without a name.
type spooled struct {
	io.ReadSeeker
	size int64
	free func()
}

// spool reads body to its end. The error is the source's own, TOO_LARGE, or UNAVAILABLE when there is no
// space.
func (b *Bucket) spool(body io.Reader) (*spooled, error) {
	p := b.provider
	piece := p.pieces.Get().(*[]byte)
	n, err := fill(body, *piece)
	if err == io.EOF {
		return &spooled{bytes.NewReader((*piece)[:n]), int64(n), func() { p.pieces.Put(piece) }}, nil
	}
	defer p.pieces.Put(piece)
	if err != nil {
		return nil, err
	}
	return b.spoolFile(body, *piece)
}

// spoolFile writes the first piece to a file and then copies the rest, using the piece's memory as buffer.
func (b *Bucket) spoolFile(body io.Reader, piece []byte) (_ *spooled, err error) {
	file, err := namelessFile(b.provider.spoolDir)
	if err != nil {
		return nil, ErrUnavailable
	}
	size, reserved := int64(0), int64(0)
	free := func() {
		_ = file.Close()
		b.disk.Add(-reserved)
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	n, ended := len(piece), false
	for {
		if size += int64(n); size > MaxObject {
			return nil, ErrTooLarge
		}
		reserved += int64(n)
		if b.disk.Add(int64(n)) > b.provider.limits.spool {
			return nil, ErrUnavailable
		}
		if _, err := file.Write(piece[:n]); err != nil {
			return nil, ErrUnavailable
		}
		if ended {
			break
		}
		n, err = fill(body, piece)
		if ended = err == io.EOF; err != nil && !ended {
			return nil, err
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, ErrUnavailable
	}
	return &spooled{file, size, free}, nil
}

// namelessFile returns a file without a name. It is removed when it is closed, or when the process ends for
// any reason.
func namelessFile(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "narthex-put-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// fill reads until piece is full (nil), the source ends (io.EOF), or it fails. io.ReadFull is not usable,
// because it returns io.ErrUnexpectedEOF at the end, and so does a truncated source.
func fill(source io.Reader, piece []byte) (n int, err error) {
	for idle := 0; n < len(piece) && err == nil; idle++ {
		var more int
		more, err = source.Read(piece[n:])
		n += more
		if more > 0 {
			idle = 0
		} else if err == nil && idle >= 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, err
}
