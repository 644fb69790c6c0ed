package httpapi

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Encode compresses a file with the strongest level of coding. Equal content gives equal results. During the
// call the tables of zstd take 34 MiB.
func Encode(content []byte, coding string) ([]byte, error) {
	return encode(content, coding, zstd.SpeedBestCompression)
}

func encode(content []byte, coding string, level zstd.EncoderLevel) ([]byte, error) {
	var coded bytes.Buffer
	switch coding {
	case Gzip:
		w, err := gzip.NewWriterLevel(&coded, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		return coded.Bytes(), nil
	case Zstd:
		// The encoder's history is twice the window. A window as large as the content is enough.
		window := zstd.MinWindowSize
		for window < len(content) && window < 8<<20 {
			window *= 2
		}
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, err
		}
		defer w.Close()
		return w.EncodeAll(content, nil), nil
	}
	return nil, fmt.Errorf("httpapi: no coding %q", coding)
}

// EncodeAll returns the file in every coding that makes it smaller.
func EncodeAll(content []byte) ([]*Representation, error) {
	return encodeAll(content, zstd.SpeedBestCompression)
}

// encodePage is EncodeAll with a faster level of zstd, for a page of some KiB that a browser waits for:
// filling the tables of the strongest level takes longer than compressing such a page.
func encodePage(content []byte) ([]*Representation, error) {
	return encodeAll(content, zstd.SpeedDefault)
}

func encodeAll(content []byte, level zstd.EncoderLevel) ([]*Representation, error) {
	var all []*Representation
	for _, coding := range []string{Zstd, Gzip} {
		coded, err := encode(content, coding, level)
		if err != nil {
			return nil, err
		}
		if len(coded) < len(content) {
			all = append(all, NewRepresentation(coded, coding))
		}
	}
	return all, nil
}
