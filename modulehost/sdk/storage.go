package sdk

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// The errors of a Bucket, besides those of its context and of a Put's body.
const (
	ErrNotFound   = Error("NOT_FOUND")   // no object has this key
	ErrKeyInvalid = Error("KEY_INVALID") // the key, prefix or position breaks the rules for keys
	// module.json does not declare the bucket, or the S3 service denies the platform access
	ErrAccessDenied = Error("ACCESS_DENIED")
	ErrTooLarge     = Error("TOO_LARGE") // more than 32 MiB, or more than the S3 service accepts
	// ErrLifetimeInvalid: a URL's lifetime is out of range, or not a whole number of seconds.
	ErrLifetimeInvalid = Error("LIFETIME_INVALID")
	ErrTimeout         = Error("TIMEOUT") // a timeout has passed
	// the S3 service does not respond or breaks the connection; a later attempt may succeed
	ErrUnavailable = Error("UNAVAILABLE")
)

// The limits of a module's concurrent storage calls; further calls wait. They leave room for other calls of
// the module when the storage hangs.
const (
	storageCalls = 4
	openGets     = 4
	openPuts     = 4
)

// Storage stores files in the buckets that the module's manifest declares. The platform calls the S3 service
// on the module's behalf, so the module never learns the service's address, the real names of its buckets or
// the credentials. Safe for concurrent use.
type Storage struct {
	client   *link.Client
	declared *abi.Declared // nil: the platform is older
	calls    semaphore
	gets     semaphore
	puts     semaphore
}

func newStorage(client *link.Client, declared *abi.Declared) *Storage {
	return &Storage{
		declared: declared,
		client:   client,
		calls:    make(semaphore, storageCalls),
		gets:     make(semaphore, openGets),
		puts:     make(semaphore, openPuts),
	}
}

// Bucket returns one of the manifest's storage.buckets by its name, for example "images". It makes no call.
// If the manifest does not declare the name, or on a nil Storage, every call of the Bucket fails with
// ErrAccessDenied. The first object creates the bucket.
func (s *Storage) Bucket(id string) *Bucket { return &Bucket{storage: s, id: id} }

// Bucket stores objects of up to 32 MiB. A key is 1 to 512 bytes of A-Z a-z 0-9 ! _ . * ' ( ) - and /,
// without an empty, "." or ".." part between slashes. Every call ends when its ctx ends, and then returns
// ctx's error. A ctx without a deadline gets 30 s, or, for a Put, five minutes after the body. After
// ErrTimeout, ErrUnavailable or the end of ctx it is unknown whether a Put or Delete was executed; both may
// be repeated. Safe for concurrent use.
type Bucket struct {
	storage *Storage
	id      string
}

// Object describes a stored object.
type Object struct {
	Key         string
	Size        int64     // bytes of the whole object
	ContentType string    // "" in a Page
	ETag        string    // with its quotes, as in the HTTP header
	Modified    time.Time // zero after a Put
}

// Page is a part of a list, in the order of keys.
type Page struct {
	Objects []Object
	Next    string // the argument after of List for the next page; "" at the end
}

// List returns the objects whose keys begin with prefix and sort behind after; "" is the beginning. A limit
// below 1 or over 1,000 means 1,000. A page before the end may be shorter than the limit, even empty:
// continue until Next is "". Errors: ErrKeyInvalid, ErrAccessDenied, ErrTimeout, ErrUnavailable.
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

// Head returns an object's description without its content. Errors: ErrNotFound, ErrKeyInvalid,
// ErrAccessDenied, ErrTimeout, ErrUnavailable.
func (b *Bucket) Head(ctx context.Context, key string) (Object, error) {
	var response abi.BucketHeadResponse
	err := b.call(ctx, abi.Method_METHOD_BUCKET_HEAD, &abi.BucketHeadRequest{Bucket: b.id, Key: key}, &response)
	if err != nil {
		return Object{}, err
	}
	return newObject(response.GetObject()), nil
}

// Delete deletes an object. A missing object is not an error. Errors: ErrKeyInvalid, ErrAccessDenied,
// ErrTimeout, ErrUnavailable.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.call(ctx, abi.Method_METHOD_BUCKET_DELETE, &abi.BucketDeleteRequest{Bucket: b.id, Key: key},
		&abi.BucketDeleteResponse{})
}

// ReadURLOption changes the response to a read URL.
type ReadURLOption func(*abi.BucketReadURLRequest)

// DownloadAs makes a browser save the object under name: up to 255 bytes without slashes, control and
// invisible characters. "" means no name.
func DownloadAs(name string) ReadURLOption {
	return func(request *abi.BucketReadURLRequest) { request.DownloadName = name }
}

// Unchanging says that no other object will be stored under this key. A browser then keeps what it has read
// for the lifetime of the URL instead of asking the service again each time.
func Unchanging() ReadURLOption {
	return func(request *abi.BucketReadURLRequest) { request.Unchanging = true }
}

// CreateReadURL returns a URL with which a client can read the object, or ranges of it, directly from the S3
// service until expiresAt. The lifetime is 1 minute to 6 hours in whole seconds; 0 means 15 minutes. The call
// does not check that the object exists. Calls within a third of the lifetime return the same URL, so that
// browsers can cache the object; with Unchanging they need not ask whether it has changed.
//
// Anybody who has the URL can use it: decide first whether the person may see the object, and never log or
// store the URL. There are no URLs that write or delete. A browser shows images, sound, video, fonts, PDF,
// JSON and plain text. It saves every other type, so that no uploaded HTML, SVG or script runs on the
// service's origin. With DownloadAs it saves every type. Errors: ErrKeyInvalid, also for a download name;
// ErrLifetimeInvalid; ErrAccessDenied; ErrUnavailable.
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

// call makes a call to the host.
func (b *Bucket) call(ctx context.Context, method abi.Method, request, response proto.Message) error {
	if err := b.check(); err != nil {
		return err
	}
	return b.storage.call(ctx, callDeadline, method, request, response)
}

// check returns ErrAccessDenied on a nil Storage, and if the manifest does not declare the bucket.
func (b *Bucket) check() error {
	if b.storage == nil {
		return ErrAccessDenied
	}
	declared := b.storage.declared
	return missing(declared, declared.GetBuckets(), b.id, ErrAccessDenied, "module.json declares no bucket",
		"add it to storage.buckets")
}

// call makes a call when fewer than storageCalls are in progress. deadline applies to a ctx without one.
func (s *Storage) call(
	ctx context.Context, deadline time.Duration, method abi.Method, request, response proto.Message,
) error {
	within, cancel := withCallDeadline(ctx, deadline)
	defer cancel()
	err := s.calls.acquire(within)
	if err == nil {
		err = call(within, s.client, method, request, response)
		s.calls.release()
	}
	return storageError(ctx, err)
}

// storageError returns one of the errors of a Bucket, or ctx's own.
func storageError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	case errors.Is(err, ErrMessageTooLarge),
		errors.Is(err, ErrMessageUnencodable): // caused by a key or prefix
		return ErrKeyInvalid
	}
	code := Error("")
	_ = errors.As(err, &code)
	switch code {
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
