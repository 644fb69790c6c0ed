package storage

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Range is a part of an object. The zero Range is all of it.
type Range struct {
	Offset uint64
	Length uint64 // 0: to the end
}

func (r Range) last() uint64 {
	if r.Length == 0 || r.Length-1 > math.MaxInt64-min(r.Offset, math.MaxInt64) {
		return math.MaxInt64
	}
	return r.Offset + r.Length - 1
}

// Get opens an object, or a part of it; a part beyond the end is empty. The bytes are transferred while they
// are read: only a connection is occupied, until Close. Close must be called, and may be called while a Read
// waits. A Read that fails or is truncated returns a code, never io.EOF. The service has 15 s to begin its
// response and 15 s for each Read; the time between Reads is not counted. Errors: NOT_FOUND, KEY_INVALID,
// ACCESS_DENIED, TIMEOUT, UNAVAILABLE.
func (b *Bucket) Get(ctx context.Context, key string, part Range) (Object, io.ReadCloser, error) {
	if !validKey(key) {
		return Object{}, nil, ErrKey
	}
	if part.Offset > math.MaxInt64 {
		return b.beyondEnd(ctx, key)
	}
	transfer, watch := watched(ctx, b.provider.limits.stall)
	input := &s3.GetObjectInput{Bucket: &b.name, Key: &key}
	if part != (Range{}) {
		input.Range = aws.String(fmt.Sprintf("bytes=%d-%d", part.Offset, part.last()))
	}
	result, err := b.provider.client.GetObject(transfer, input)
	watch.pause()
	switch {
	case errorCode(err) == codeInvalidRange:
		watch.end()
		return b.beyondEnd(ctx, key)
	case err != nil:
		err = coded(transfer, err)
		watch.end()
		return Object{}, nil, err
	}
	size, ok := sizeOf(result, part)
	if !ok {
		watch.end()
		_ = result.Body.Close()
		return Object{}, nil, ErrUnavailable
	}
	object := Object{
		Key:         key,
		Size:        size,
		ContentType: typeOr(result.ContentType),
		ETag:        *result.ETag,
		Modified:    aws.ToTime(result.LastModified),
	}
	return object, &download{ctx: transfer, body: result.Body, watch: watch}, nil
}

// sizeOf returns the size of the whole object. It refuses a response without a length, because it could be
// truncated without being noticed, and a response with another part than the requested one.
func sizeOf(result *s3.GetObjectOutput, part Range) (size int64, ok bool) {
	if result.ETag == nil || result.ContentLength == nil {
		return 0, false
	}
	if part == (Range{}) {
		return *result.ContentLength, result.ContentRange == nil
	}
	var first, last int64
	if _, err := fmt.Sscanf(aws.ToString(result.ContentRange), "bytes %d-%d/%d", &first, &last,
		&size); err != nil {
		return 0, false
	}
	wanted := min(part.last(), uint64(max(size-1, 0)))
	return size, uint64(first) == part.Offset && uint64(last) == wanted && last-first+1 == *result.ContentLength
}

// beyondEnd returns an empty part if the object exists, and NOT_FOUND if it does not.
func (b *Bucket) beyondEnd(ctx context.Context, key string) (Object, io.ReadCloser, error) {
	object, err := b.Head(ctx, key)
	if err != nil {
		return Object{}, nil, err
	}
	return object, http.NoBody, nil
}

// download is the body of a Get. net/http returns an error if it is shorter than its Content-Length.
type download struct {
	ctx   context.Context
	body  io.ReadCloser
	watch *watch
}

func (d *download) Read(p []byte) (int, error) {
	d.watch.progress()
	n, err := d.body.Read(p)
	d.watch.pause()
	if err != nil && err != io.EOF {
		err = coded(d.ctx, err)
	}
	return n, err
}

func (d *download) Close() error {
	d.watch.end()
	_ = d.body.Close()
	return nil
}
