package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
)

// probeModule is an id that manifests may not use, so no module has this bucket.
const probeModule, probeBucket = "core", "doctor"

// Probe puts an object of a few bytes, reads it back and deletes it, in a bucket that no module has. It
// returns nil, or the code of the first failure. It also returns ErrUnavailable when the service returns
// other bytes.
func (p *Provider) Probe(ctx context.Context) error {
	bucket, key := p.Bucket(probeModule, probeBucket), "probe-"+rand.Text()
	content := []byte("put, get and delete")
	if _, err := bucket.Put(ctx, key, "text/plain", bytes.NewReader(content)); err != nil {
		return err
	}
	if err := bucket.compare(ctx, key, content); err != nil {
		_ = bucket.Delete(ctx, key)
		return err
	}
	return bucket.Delete(ctx, key)
}

func (b *Bucket) compare(ctx context.Context, key string, want []byte) error {
	_, body, err := b.Get(ctx, key, Range{})
	if err != nil {
		return err
	}
	defer body.Close()
	got, err := io.ReadAll(io.LimitReader(body, int64(len(want))+1))
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got, want):
		return ErrUnavailable
	}
	return nil
}
