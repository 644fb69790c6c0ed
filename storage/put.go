package storage

import (
	"context"
	"io"
	"mime"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Put reads body to its end and then stores it under key, replacing any object there, completely or not at
// all. If reading fails or the body is larger than MaxObject, nothing is changed. Put reads at most one piece
// of 256 KiB beyond MaxObject. It keeps one piece in memory and the rest on disk. All bodies of a module
// together may use 256 MiB of the disk; beyond that, Put returns UNAVAILABLE. An invalid contentType (RFC
// 9110) becomes application/octet-stream.
//
// There is no limit for the time to read body. Then the service has 15 s for each piece and 15 s to respond;
// for a body of one piece 15 s in all. Errors: body's own, KEY_INVALID, TOO_LARGE, ACCESS_DENIED, TIMEOUT,
// UNAVAILABLE.
func (b *Bucket) Put(ctx context.Context, key, contentType string, body io.Reader) (Object, error) {
	if !validKey(key) {
		return Object{}, ErrKey
	}
	buffered, err := b.spool(body)
	if err != nil {
		return Object{}, err
	}
	defer buffered.free()
	contentType = mediaType(contentType)
	etag, err := b.send(ctx, key, contentType, buffered)
	if err != nil {
		return Object{}, err
	}
	return Object{Key: key, Size: buffered.size, ContentType: contentType, ETag: etag}, nil
}

// bucketRounds is how often a put tries to create its bucket. The second round is needed when the bucket is
// deleted in the meantime. The others are for services in which a new bucket is not visible at once.
const bucketRounds = 4

// send creates the bucket only when the service reports that it is missing, because other processes may
// create or delete it at any time.
func (b *Bucket) send(
	ctx context.Context,
	key, contentType string,
	buffered *spooled,
) (etag string, err error) {
	if buffered.size <= pieceSize { // one piece has the time limit of a single call, however often it is sent
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.provider.limits.call)
		defer cancel()
	}
	ctx, watch := watched(ctx, b.provider.limits.stall)
	defer watch.end()
	disposition := disposition(contentType)
	for round := 0; ; round++ {
		if _, err := buffered.Seek(0, io.SeekStart); err != nil {
			return "", ErrUnavailable
		}
		result, err := b.provider.client.PutObject(ctx, &s3.PutObjectInput{
			Bucket:        &b.name,
			Key:           &key,
			Body:          upload{buffered, watch},
			ContentLength: &buffered.size,
			ContentType:   &contentType,

			ContentDisposition: &disposition,
		})
		switch {
		case err == nil && result.ETag == nil: // not an S3 service
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

// refusal returns why the service has not accepted a body, and whether the bucket is missing. A service that
// refuses a body before it has read all of it may close the connection before its response is received, also
// by a proxy in front of it. In this case refusal sends a request without a body, which gets the same
// response.
func (b *Bucket) refusal(ctx context.Context, err error) (missing bool, code error) {
	if said := errorCode(err); said != "" && said != codeBadGateway || ctx.Err() != nil {
		return said == codeNoBucket, coded(ctx, err)
	}
	_, asked := b.provider.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.name})
	switch errorCode(asked) {
	case "":
		return false, coded(ctx, err)
	case codeNotFound:
		return true, nil
	}
	return false, coded(ctx, asked)
}

// create makes the bucket, after a pause. It is not an error if another process has created it or is creating
// it: the next put shows whether it exists.
func (b *Bucket) create(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ErrTimeout
	case <-time.After(pause):
	}
	input := &s3.CreateBucketInput{Bucket: &b.name}
	if region := b.provider.client.Options().Region; region != "us-east-1" { // the default must be omitted
		input.CreateBucketConfiguration = &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(region),
		}
	}
	_, err := b.provider.client.CreateBucket(ctx, input)
	switch errorCode(err) {
	case "BucketAlreadyOwnedByYou", "BucketAlreadyExists", "OperationAborted":
		return nil
	}
	return coded(ctx, err)
}

// upload notifies the watch whenever a part of the body is sent.
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
