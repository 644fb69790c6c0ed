package sdktest

import (
	"context"
	"io"
	"time"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/storage"
)

// FailStorage makes the module's next calls of a bucket fail with these errors, in order. They are errors of
// sdk.Bucket. A Put fails after all of its body was sent.
func (m *Module) FailStorage(errs ...sdk.Error) {
	m.tb.Helper()
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	for _, err := range errs {
		switch err {
		case sdk.ErrNotFound, sdk.ErrKeyInvalid, sdk.ErrAccessDenied, sdk.ErrTooLarge, sdk.ErrLifetimeInvalid,
			sdk.ErrTimeout, sdk.ErrUnavailable:
			m.faults.storage = append(m.faults.storage, storage.Error(err))
		default:
			m.tb.Fatalf("sdktest: a bucket does not fail with %s", err)
		}
	}
}

// SlowStorage delays every call of a bucket from now on; 0 ends that. With 15 s or more the platform stops
// waiting, as for a service that hangs, and the call fails with sdk.ErrTimeout.
func (m *Module) SlowStorage(delay time.Duration) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.delay = delay
}

// CutObjects makes every object that is read from now on fail after this many bytes, with sdk.ErrUnavailable;
// -1 ends that.
func (m *Module) CutObjects(after int64) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.cutAfter = after
}

// storageWithin is how long the platform waits for its object storage.
const storageWithin = 15 * time.Second

// before applies the test's delay or error to the next call.
func (f *faults) before(ctx context.Context) error {
	f.mu.Lock()
	delay, err := f.delay, error(nil)
	if len(f.storage) > 0 {
		err, f.storage = f.storage[0], f.storage[1:]
	}
	f.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(min(delay, storageWithin)):
		case <-ctx.Done():
			return storage.ErrTimeout
		}
		if delay >= storageWithin {
			return storage.ErrTimeout
		}
	}
	return err
}

func (f *faults) cut() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cutAfter
}

// faultyBucket is a bucket with the faults of a test.
type faultyBucket struct {
	facade.Bucket
	faults *faults
}

func (b faultyBucket) List(ctx context.Context, prefix, after string, limit int) (storage.Page, error) {
	if err := b.faults.before(ctx); err != nil {
		return storage.Page{}, err
	}
	return b.Bucket.List(ctx, prefix, after, limit)
}

func (b faultyBucket) Head(ctx context.Context, key string) (storage.Object, error) {
	if err := b.faults.before(ctx); err != nil {
		return storage.Object{}, err
	}
	return b.Bucket.Head(ctx, key)
}

func (b faultyBucket) Get(
	ctx context.Context, key string, part storage.Range,
) (storage.Object, io.ReadCloser, error) {
	if err := b.faults.before(ctx); err != nil {
		return storage.Object{}, nil, err
	}
	object, body, err := b.Bucket.Get(ctx, key, part)
	if cut := b.faults.cut(); err == nil && cut >= 0 {
		body = &cutBody{body, cut}
	}
	return object, body, err
}

func (b faultyBucket) Put(
	ctx context.Context, key, contentType string, body io.Reader,
) (storage.Object, error) {
	if err := b.faults.before(ctx); err != nil {
		if _, read := io.Copy(io.Discard, body); read != nil {
			return storage.Object{}, read
		}
		return storage.Object{}, err
	}
	return b.Bucket.Put(ctx, key, contentType, body)
}

func (b faultyBucket) Delete(ctx context.Context, key string) error {
	if err := b.faults.before(ctx); err != nil {
		return err
	}
	return b.Bucket.Delete(ctx, key)
}

func (b faultyBucket) CreateReadURL(
	ctx context.Context, key string, lifetime time.Duration, as storage.Delivery,
) (string, time.Time, error) {
	if err := b.faults.before(ctx); err != nil {
		return "", time.Time{}, err
	}
	return b.Bucket.CreateReadURL(ctx, key, lifetime, as)
}

// cutBody fails after left bytes.
type cutBody struct {
	io.ReadCloser
	left int64
}

// Read reads bytes up to the cut.
func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, storage.ErrUnavailable
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
