package sdk

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// The errors of a Bucket, beside its contexts' own and those of a Put's body. The list is closed.
const (
	ErrNotFound   = Error("NOT_FOUND")   // no object has this key
	ErrKeyInvalid = Error("KEY_INVALID") // the key, prefix or position breaks the rules for keys
	// module.json does not declare the bucket, or the service refuses the platform
	ErrAccessDenied = Error("ACCESS_DENIED")
	ErrTooLarge     = Error("TOO_LARGE") // more than 32 MiB, or more than the service takes
	// ErrLifetimeInvalid: a URL's lifetime is out of range, or no whole number of seconds.
	ErrLifetimeInvalid = Error("LIFETIME_INVALID")
	ErrTimeout         = Error("TIMEOUT") // a limit of time passed
	// the service does not answer, or breaks off; later it may work again
	ErrUnavailable = Error("UNAVAILABLE")
)

// What a module does with its storage at once; further calls wait. A storage that hangs then leaves places
// for other calls among those that the platform serves of one module.
const (
	storageCalls = 4
	openGets     = 4
	openPuts     = 4
)

// Storage is where the module keeps files: the buckets that its manifest declares. The platform asks the S3
// service for it; where that is, what the buckets are called there, and by which credentials, a module
// never learns. Safe for concurrent use.
type Storage struct {
	client *link.Client
	calls  places
	gets   places
	puts   places
}

func newStorage(client *link.Client) *Storage {
	return &Storage{
		client: client,
		calls:  make(places, storageCalls),
		gets:   make(places, openGets),
		puts:   make(places, openPuts),
	}
}

// Bucket names one of the manifest's storage.buckets, "images". Nothing is asked: with a name that the
// manifest does not declare, and on a nil Storage, every call of the Bucket fails with ErrAccessDenied. A
// bucket comes into being with its first object.
func (s *Storage) Bucket(id string) *Bucket { return &Bucket{storage: s, id: id} }

// Bucket is a place for objects of up to 32 MiB. A key is 1 to 512 bytes of A-Z a-z 0-9 ! _ . * ' ( ) - and
// /, without an empty, "." or ".." part between slashes. Every call ends with its ctx and answers ctx's
// error then; one without a deadline has 30 s, a Put five minutes after its body. After ErrTimeout,
// ErrUnavailable and a ctx that ended, a Put or Delete may have been done all the same; each may simply be
// repeated. Safe for concurrent use.
type Bucket struct {
	storage *Storage
	id      string
}

// Object is what the service knows of an object.
type Object struct {
	Key         string
	Size        int64     // bytes of the whole object
	ContentType string    // "" in a Page
	ETag        string    // with its quotes, as HTTP has it
	Modified    time.Time // zero after a Put
}

// Page is a part of a list, in the order of keys.
type Page struct {
	Objects []Object
	Next    string // where the next page begins, as List's after; "" at the end
}

// List returns the objects whose keys begin with prefix and come after the position after; "" is the
// beginning. A limit below 1 or over 1,000 is 1,000. A page may be shorter before the end, even empty: go
// on until Next is "". Errors: ErrKeyInvalid, ErrAccessDenied, ErrTimeout, ErrUnavailable.
func (b *Bucket) List(ctx context.Context, prefix, after string, limit int) (Page, error) {
	if limit < 1 || limit > 1000 {
		limit = 1000
	}
	request := &abi.BucketListRequest{Bucket: b.id, Prefix: prefix, After: after, Limit: uint32(limit)}
	var response abi.BucketListResponse
	if err := b.call(ctx, abi.Method_METHOD_BUCKET_LIST, request, &response); err != nil {
		return Page{}, err
	}
	page := Page{Objects: make([]Object, len(response.GetObjects())), Next: response.GetNext()}
	for n, object := range response.GetObjects() {
		page.Objects[n] = newObject(object)
	}
	return page, nil
}

// Head tells about an object. Errors: ErrNotFound, ErrKeyInvalid, ErrAccessDenied, ErrTimeout,
// ErrUnavailable.
func (b *Bucket) Head(ctx context.Context, key string) (Object, error) {
	var response abi.BucketHeadResponse
	err := b.call(ctx, abi.Method_METHOD_BUCKET_HEAD, &abi.BucketHeadRequest{Bucket: b.id, Key: key}, &response)
	if err != nil {
		return Object{}, err
	}
	return newObject(response.GetObject()), nil
}

// Delete removes an object. One that is not there is no error. Errors: ErrKeyInvalid, ErrAccessDenied,
// ErrTimeout, ErrUnavailable.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.call(ctx, abi.Method_METHOD_BUCKET_DELETE, &abi.BucketDeleteRequest{Bucket: b.id, Key: key},
		&abi.BucketDeleteResponse{})
}

// ReadURLOption changes what a read URL delivers.
type ReadURLOption func(*abi.BucketReadURLRequest)

// DownloadAs makes a browser save the object under name, up to 255 bytes without slashes, controls and
// invisible characters; "" is none.
func DownloadAs(name string) ReadURLOption {
	return func(request *abi.BucketReadURLRequest) { request.DownloadName = name }
}

// CreateReadURL returns a URL by which everybody who has it reads the object until expiresAt, ranges
// included, straight from the service. The lifetime is 1 minute to 6 hours in whole seconds; 0 is 15
// minutes. Whether the object exists is not asked. Within a third of the lifetime the URL is the same to
// the byte, so that browsers can cache what it names.
//
// The URL is all the authority that it takes: decide first whether the person may see the object, and never
// log or store the URL. There are none that write or delete. A browser shows images, sound, video, fonts,
// PDF, JSON and plain text; it saves everything else, so that nobody's HTML, SVG or script runs where the
// files are. With DownloadAs it saves any. Errors: ErrKeyInvalid, also for a name, ErrLifetimeInvalid,
// ErrAccessDenied, ErrUnavailable.
func (b *Bucket) CreateReadURL(ctx context.Context, key string, lifetime time.Duration,
	options ...ReadURLOption) (
	url string, expiresAt time.Time, err error,
) {
	if lifetime%time.Second != 0 {
		return "", time.Time{}, ErrLifetimeInvalid
	}
	request := &abi.BucketReadURLRequest{Bucket: b.id, Key: key, LifetimeSeconds: int64(lifetime / time.Second)}
	for _, option := range options {
		option(request)
	}
	var response abi.BucketReadURLResponse
	if err := b.call(ctx, abi.Method_METHOD_BUCKET_READ_URL, request, &response); err != nil {
		return "", time.Time{}, err
	}
	return response.GetUrl(), time.UnixMicro(response.GetExpiresAtMicros()).UTC(), nil
}

// call is for a Storage that may be nil.
func (b *Bucket) call(ctx context.Context, method abi.Method, request, response proto.Message) error {
	if b.storage == nil {
		return ErrAccessDenied
	}
	return b.storage.call(ctx, callDeadline, method, request, response)
}

// call asks the host as soon as there is a place; deadline is for a ctx that has none.
func (s *Storage) call(
	ctx context.Context, deadline time.Duration, method abi.Method, request, response proto.Message,
) error {
	within, cancel := bounded(ctx, deadline)
	defer cancel()
	err := s.calls.take(within)
	if err == nil {
		err = call(within, s.client, method, request, response)
		s.calls.leave()
	}
	return storageError(ctx, err)
}

// storageError is one of the closed list, or ctx's own.
func storageError(ctx context.Context, err error) error {
	failure := (*link.Failure)(nil)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	case errors.Is(err, link.ErrTooLarge),
		errors.Is(err, link.ErrUnencodable): // of a request with a key or prefix
		return ErrKeyInvalid
	case !errors.As(err, &failure):
		return ErrUnavailable
	}
	switch code := Error(failure.Code()); code {
	case ErrNotFound, ErrKeyInvalid, ErrAccessDenied, ErrTooLarge, ErrLifetimeInvalid, ErrTimeout:
		return code
	}
	return ErrUnavailable
}

func newObject(message *abi.Object) Object {
	object := Object{
		Key:         message.GetKey(),
		Size:        message.GetSize(),
		ContentType: message.GetContentType(),
		ETag:        message.GetEtag(),
	}
	if micros := message.GetModifiedMicros(); micros != 0 {
		object.Modified = time.UnixMicro(micros).UTC()
	}
	return object
}
