package storage

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const unknownType = "application/octet-stream"

// Head returns the description of an object, within 15 s. Errors: NOT_FOUND, KEY_INVALID, ACCESS_DENIED,
// TIMEOUT, UNAVAILABLE.
func (b *Bucket) Head(ctx context.Context, key string) (Object, error) {
	if !validKey(key) {
		return Object{}, ErrKey
	}
	ctx, cancel := context.WithTimeout(ctx, b.provider.limits.call)
	defer cancel()
	result, err := b.provider.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	switch {
	case errorCode(err) == codeNotFound:
		return Object{}, ErrNotFound
	case err != nil:
		return Object{}, coded(ctx, err)
	case result.ETag == nil || result.ContentLength == nil: // not an S3 service
		return Object{}, ErrUnavailable
	}
	return Object{
		Key:         key,
		Size:        *result.ContentLength,
		ContentType: typeOr(result.ContentType),
		ETag:        *result.ETag,
		Modified:    aws.ToTime(result.LastModified),
	}, nil
}

// typeOr returns the content type, or unknownType for an object without one, which was not stored by Put.
func typeOr(contentType *string) string {
	if contentType == nil {
		return unknownType
	}
	return *contentType
}

// Delete removes an object, within 15 s. A missing object is not an error. Errors: KEY_INVALID,
// ACCESS_DENIED, TIMEOUT, UNAVAILABLE.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if !validKey(key) {
		return ErrKey
	}
	ctx, cancel := context.WithTimeout(ctx, b.provider.limits.call)
	defer cancel()
	_, err := b.provider.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	if err := coded(ctx, err); err != ErrNotFound {
		return err
	}
	return nil
}
