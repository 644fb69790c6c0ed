package httpapi

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Encode compresses a file with the strongest level of coding. Equal content gives equal results.
func Encode(content []byte, coding string) ([]byte, error) {
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
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
			zstd.WithEncoderConcurrency(1))
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
	var all []*Representation
	for _, coding := range []string{Zstd, Gzip} {
		coded, err := Encode(content, coding)
		if err != nil {
			return nil, err
		}
		if len(coded) < len(content) {
			all = append(all, NewRepresentation(coded, coding))
		}
	}
	return all, nil
}
