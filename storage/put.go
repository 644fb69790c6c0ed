package storage

import (
	"context"
	"io"
	"mime"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Put reads body to its end and then stores it under key, in place of what was there, as a whole or not at
// all: a body that fails or passes MaxObject has changed nothing. It never reads further than one piece of
// 256 KiB past MaxObject, and holds one piece in memory and the rest on disk, where all bodies of a module
// together have 256 MiB: beyond, a Put is UNAVAILABLE. A contentType that is none (RFC 9110) becomes
// application/octet-stream.
//
// The time that body takes is body's own affair; then the service has 15 s for each piece and 15 s to
// answer, for one piece 15 s in all. Errors: what body said, KEY_INVALID, TOO_LARGE, ACCESS_DENIED, TIMEOUT,
// UNAVAILABLE.
func (b *Bucket) Put(ctx context.Context, key, contentType string, body io.Reader) (Object, error) {
	if !validKey(key) {
		return Object{}, ErrKey
	}
	whole, err := b.spool(body)
	if err != nil {
		return Object{}, err
	}
	defer whole.free()
	contentType = mediaType(contentType)
	etag, err := b.send(ctx, key, contentType, whole)
	if err != nil {
		return Object{}, err
	}
	return Object{Key: key, Size: whole.size, ContentType: contentType, ETag: etag}, nil
}

// bucketRounds is how often a put makes its bucket. The second round is for somebody who deletes it, the
// others are for services that need a moment to know their own buckets.
const bucketRounds = 4

// send asks for the bucket only when it proves to be missing: the service knows best, even if somebody else
// has made or deleted it meanwhile.
func (b *Bucket) send(ctx context.Context, key, contentType string, whole *spooled) (etag string, err error) {
	if whole.size <= pieceSize { // one piece is a call like any other, however often it is sent
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.provider.limits.call)
		defer cancel()
	}
	ctx, watch := watched(ctx, b.provider.limits.stall)
	defer watch.end()
	disposition := disposition(contentType)
	for round := 0; ; round++ {
		if _, err := whole.Seek(0, io.SeekStart); err != nil {
			return "", ErrUnavailable
		}
		result, err := b.provider.client.PutObject(ctx, &s3.PutObjectInput{
			Bucket:        &b.name,
			Key:           &key,
			Body:          upload{whole, watch},
			ContentLength: &whole.size,
			ContentType:   &contentType,

			ContentDisposition: &disposition,
		})
		switch {
		case err == nil && result.ETag == nil: // no S3 service
			return "", ErrUnavailable
		case err == nil:
			return *result.ETag, nil
		}
		missing, code := b.refusal(ctx, err)
		switch {
		case !missing:
			return "", code
		case round == bucketRounds:
			return "", ErrUnavailable
		}
		if err := b.create(ctx, time.Duration(round)*200*time.Millisecond); err != nil {
			return "", err
		}
	}
}

// refusal is why the service has not taken a body, and whether it misses the bucket. A service that refuses
// before it has read all may close the connection with its response still under way; then nobody has seen it,
// a proxy before the service neither, and a question without a body gets the same response.
func (b *Bucket) refusal(ctx context.Context, err error) (missing bool, code error) {
	if said := answerCode(err); said != "" && said != answerBadGateway || ctx.Err() != nil {
		return said == answerNoBucket, coded(ctx, err)
	}
	_, asked := b.provider.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.name})
	switch answerCode(asked) {
	case "":
		return false, coded(ctx, err)
	case answerNotFound:
		return true, nil
	}
	return false, coded(ctx, asked)
}

// create makes the bucket, after a pause. That somebody else has made it or is about to is no error: the
// next put finds out.
func (b *Bucket) create(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ErrTimeout
	case <-time.After(pause):
	}
	input := &s3.CreateBucketInput{Bucket: &b.name}
	if region := b.provider.client.Options().Region; region != "us-east-1" { // which must not be named
		input.CreateBucketConfiguration = &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(region),
		}
	}
	_, err := b.provider.client.CreateBucket(ctx, input)
	switch answerCode(err) {
	case "BucketAlreadyOwnedByYou", "BucketAlreadyExists", "OperationAborted":
		return nil
	}
	return coded(ctx, err)
}

// upload tells the watch that the service takes the body.
type upload struct {
	*spooled
	watch *watch
}

func (u upload) Read(p []byte) (int, error) {
	u.watch.progress()
	return u.spooled.Read(p)
}

func mediaType(contentType string) string {
	if kind, parameters, err := mime.ParseMediaType(contentType); err == nil && len(contentType) <= 255 {
		if formatted := mime.FormatMediaType(kind, parameters); formatted != "" {
			return formatted
		}
	}
	return unknownType
}
