package storage

import (
	"bytes"
	"io"
	"os"
)

const (
	// pieceSize is what a body takes of memory, and what a module sends at once.
	pieceSize = 256 << 10
	// maxSpool is what the bodies of one module take of the disk.
	maxSpool = 256 << 20
)

// spooled is a whole body, before a byte of it goes to the service: S3 wants its length and its hash first,
// and a source that fails or does not end shall leave nothing there. Up to a piece it stays in memory,
// beyond in a file without a name.
type spooled struct {
	io.ReadSeeker
	size int64
	free func()
}

// spool reads body to its end. The error is the source's own, TOO_LARGE or UNAVAILABLE: there is no room.
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

// spoolFile goes on after the first piece, and uses its memory for all others.
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

// namelessFile is gone when it is closed, or when the process ends in whatever way.
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

// fill reads until piece is full, nil, or the source ends, io.EOF, or fails. io.ReadFull would not do: it
// says io.ErrUnexpectedEOF at the end, and so does a source that was cut.
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
