package facade

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/storage"
)

// Bucket is one of a module's buckets; *storage.Bucket implements it. Its errors are codes of package
// storage. The module gets any other error as UNAVAILABLE.
type Bucket interface {
	List(ctx context.Context, prefix, after string, limit int) (storage.Page, error)
	Head(ctx context.Context, key string) (storage.Object, error)
	Get(ctx context.Context, key string, part storage.Range) (storage.Object, io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, body io.Reader) (storage.Object, error)
	Delete(ctx context.Context, key string) error
	CreateReadURL(ctx context.Context, key string, lifetime time.Duration, as storage.Delivery) (readURL string,
		expiresAt time.Time, err error)
}

var _ Bucket = (*storage.Bucket)(nil)

// bucket finds a bucket that the manifest declares. For every other name the error is the same, so the module
// does not learn whether such a bucket exists.
func (s *session) bucket(id string) (Bucket, error) {
	if bucket, declared := s.facade.config.Buckets[id]; declared {
		return bucket, nil
	}
	return nil, storage.ErrAccessDenied
}

// storageError returns only the codes of storage (docs/reference/error-codes.md).
func storageError(err error) error {
	if code := storage.Error(""); errors.As(err, &code) {
		return code
	}
	return storage.ErrUnavailable
}

func (s *session) listBucket(ctx context.Context, request *abi.BucketListRequest) (proto.Message, error) {
	bucket, err := s.bucket(request.GetBucket())
	if err != nil {
		return nil, err
	}
	page, err := bucket.List(ctx, request.GetPrefix(), request.GetAfter(), int(request.GetLimit()))
	if err != nil {
		return nil, storageError(err)
	}
	response := &abi.BucketListResponse{Objects: make([]*abi.Object, len(page.Objects)), Next: page.Next}
	for n, object := range page.Objects {
		response.Objects[n] = objectMessage(object)
	}
	return response, nil
}

func (s *session) headObject(ctx context.Context, request *abi.BucketHeadRequest) (proto.Message, error) {
	bucket, err := s.bucket(request.GetBucket())
	if err != nil {
		return nil, err
	}
	object, err := bucket.Head(ctx, request.GetKey())
	if err != nil {
		return nil, storageError(err)
	}
	return &abi.BucketHeadResponse{Object: objectMessage(object)}, nil
}

func (s *session) deleteObject(ctx context.Context, request *abi.BucketDeleteRequest) (proto.Message, error) {
	bucket, err := s.bucket(request.GetBucket())
	if err != nil {
		return nil, err
	}
	if err := bucket.Delete(ctx, request.GetKey()); err != nil {
		return nil, storageError(err)
	}
	return &abi.BucketDeleteResponse{}, nil
}

func (s *session) createReadURL(
	ctx context.Context, request *abi.BucketReadURLRequest,
) (proto.Message, error) {
	bucket, err := s.bucket(request.GetBucket())
	if err != nil {
		return nil, err
	}
	seconds := request.GetLifetimeSeconds()
	// Checked before the product below is computed, which could overflow.
	if seconds < 0 || seconds > int64(storage.MaxLifetime/time.Second) {
		return nil, storage.ErrLifetime
	}
	readURL, expiresAt, err := bucket.CreateReadURL(ctx, request.GetKey(), time.Duration(seconds)*time.Second,
		storage.Delivery{Name: request.GetDownloadName(), Unchanging: request.GetUnchanging()})
	if err != nil {
		return nil, storageError(err)
	}
	return &abi.BucketReadURLResponse{Url: readURL, ExpiresAtMicros: expiresAt.UnixMicro()}, nil
}

func objectMessage(object storage.Object) *abi.Object {
	// The S3 service sends the type as another client has stored it.
	contentType := strings.ToValidUTF8(object.ContentType, "\uFFFD")
	message := &abi.Object{Key: object.Key, Size: object.Size, ContentType: contentType, Etag: object.ETag}
	if !object.Modified.IsZero() {
		message.ModifiedMicros = object.Modified.UnixMicro()
	}
	return message
}
