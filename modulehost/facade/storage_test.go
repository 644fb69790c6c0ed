package facade_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/waittest"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

const pieceBytes = 256 << 10

// openWithStorage returns a module with one bucket, "images".
func openWithStorage(t *testing.T, images facade.Bucket) *module {
	t.Helper()
	return sessionOf(t, facade.New(facade.Config{ModuleID: "keeper",
		Buckets: map[string]facade.Bucket{"images": images}, Log: zap.NewNop()}))
}

func sessionOf(t *testing.T, f *facade.Facade) *module {
	t.Helper()
	m := &module{Facade: f, session: f.Open()}
	t.Cleanup(func() { m.session.Close() })
	return m
}

// onServer returns a module whose bucket is on a real S3 server.
func onServer(t *testing.T) (*module, *storagetest.Server) {
	t.Helper()
	server := storagetest.New(t)
	provider, err := storage.New(server.Settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	return openWithStorage(t, provider.Bucket("keeper", "images")), server
}

func (m *module) put(t *testing.T, key string) uint64 {
	t.Helper()
	response, err := ask[abi.BucketPutResponse](t, m, abi.Method_METHOD_BUCKET_PUT,
		&abi.BucketPutRequest{Bucket: "images", Key: key, ContentType: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	return response.GetHandle()
}

func (m *module) write(t *testing.T, handle uint64, data []byte) error {
	t.Helper()
	_, err := ask[abi.BucketWriteResponse](t, m, abi.Method_METHOD_BUCKET_WRITE,
		&abi.BucketWriteRequest{Handle: handle, Data: data})
	return err
}

func (m *module) commit(t *testing.T, handle uint64) (*abi.Object, error) {
	t.Helper()
	response, err := ask[abi.BucketCommitResponse](t, m, abi.Method_METHOD_BUCKET_COMMIT,
		&abi.BucketCommitRequest{Handle: handle})
	return response.GetObject(), err
}

func (m *module) close(t *testing.T, handle uint64) {
	t.Helper()
	if _, err := ask[abi.BucketCloseResponse](t, m, abi.Method_METHOD_BUCKET_CLOSE,
		&abi.BucketCloseRequest{Handle: handle}); err != nil {
		t.Error(err)
	}
}

func (m *module) get(t *testing.T, request *abi.BucketGetRequest) (*abi.BucketGetResponse, error) {
	t.Helper()
	request.Bucket = "images"
	return ask[abi.BucketGetResponse](t, m, abi.Method_METHOD_BUCKET_GET, request)
}

func (m *module) read(t *testing.T, handle uint64) (*abi.BucketReadResponse, error) {
	t.Helper()
	return ask[abi.BucketReadResponse](t, m, abi.Method_METHOD_BUCKET_READ,
		&abi.BucketReadRequest{Handle: handle})
}

// store writes a whole object.
func (m *module) store(t *testing.T, key string, content []byte) {
	t.Helper()
	handle := m.put(t, key)
	for rest := content; len(rest) > 0; {
		n := min(len(rest), pieceBytes)
		if err := m.write(t, handle, rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if object, err := m.commit(t, handle); err != nil || object.GetSize() != int64(len(content)) ||
		object.GetContentType() != "image/png" {
		t.Fatalf("commit: error %v, want none; size %v, want %v; contentType %.200q, want %.200q",
			err, object.GetSize(), int64(len(content)), object.GetContentType(), "image/png")
	}
}

// readAll reads a part of an object to its end, and checks the pieces.
func (m *module) readAll(t *testing.T, request *abi.BucketGetRequest) []byte {
	t.Helper()
	opened, err := m.get(t, request)
	if err != nil {
		t.Fatal(err)
	}
	content, ended := opened.GetData(), opened.GetHandle() == 0
	for !ended {
		next, err := m.read(t, opened.GetHandle())
		if err != nil {
			t.Fatal(err)
		}
		if len(next.GetData()) > pieceBytes {
			t.Errorf("a piece of %d bytes, want at most %d", len(next.GetData()), pieceBytes)
		}
		content, ended = append(content, next.GetData()...), next.GetEnd()
	}
	return content
}

// objects returns the files of the module's bucket, including unfinished ones; the server keeps lock files
// beside them.
func objects(t *testing.T, server *storagetest.Server) (files []string) {
	t.Helper()
	for _, file := range server.Files(t) {
		if !strings.HasPrefix(file, ".vgwlocks/") {
			files = append(files, file)
		}
	}
	return files
}

func randomBytes(n int) []byte {
	source, content := rand.NewChaCha8([32]byte{}), make([]byte, n)
	_, _ = source.Read(content)
	return content
}

func TestObjects(t *testing.T) {
	t.Parallel()
	m, server := onServer(t)
	content := randomBytes(3*pieceBytes + 7)
	for key, size := range map[string]int{"empty": 0, "one": 1, "piece": pieceBytes, "pieces": 3 * pieceBytes,
		"more": len(content)} {
		m.store(t, key, content[:size])
		if got := m.readAll(t, &abi.BucketGetRequest{Key: key}); !bytes.Equal(got, content[:size]) {
			t.Errorf("%s came back with %d bytes", key, len(got))
		}
	}
	for _, part := range []struct{ offset, length, from, to uint64 }{
		{5, 10, 5, 15}, {pieceBytes, 2 * pieceBytes, pieceBytes, 3 * pieceBytes}, {7, 0, 7, uint64(len(content))},
		{7, math.MaxUint64, 7, uint64(len(content))}, {uint64(len(content)), 1, 0, 0},
		{math.MaxUint64, math.MaxUint64, 0, 0},
	} {
		got := m.readAll(t, &abi.BucketGetRequest{Key: "more", Offset: part.offset, Length: part.length})
		if !bytes.Equal(got, content[part.from:part.to]) {
			t.Errorf("part %+v: %d bytes, want those from %d to %d", part, len(got), part.from, part.to)
		}
	}
	head, err := ask[abi.BucketHeadResponse](t, m, abi.Method_METHOD_BUCKET_HEAD,
		&abi.BucketHeadRequest{Bucket: "images", Key: "one"})
	if err != nil || head.GetObject().GetSize() != 1 || head.GetObject().GetEtag() == "" ||
		head.GetObject().GetModifiedMicros() == 0 {
		t.Errorf("ask: error %v, want none; size %v, want %v; etag %.200q, want another; modifiedMicros %v, "+
			"want another",
			err, head.GetObject().GetSize(), 1, head.GetObject().GetEtag(), head.GetObject().GetModifiedMicros())
	}
	list, err := ask[abi.BucketListResponse](t, m, abi.Method_METHOD_BUCKET_LIST,
		&abi.BucketListRequest{Bucket: "images", Prefix: "p", Limit: 1})
	if err != nil || len(list.GetObjects()) != 1 || list.GetObjects()[0].GetKey() != "piece" ||
		list.GetNext() != "piece" {
		t.Errorf("ask: error %v, want none; number of objects %v, want %v; want list.GetObjects()[0].GetKey() "+
			"to be %v; next %.200q, want %.200q",
			err, len(list.GetObjects()), 1, "piece", list.GetNext(), "piece")
	}
	link, err := ask[abi.BucketReadURLResponse](t, m, abi.Method_METHOD_BUCKET_READ_URL,
		&abi.BucketReadURLRequest{Bucket: "images", Key: "one", LifetimeSeconds: 60})
	if left := time.Until(time.UnixMicro(link.GetExpiresAtMicros())); err != nil || left < 40*time.Second ||
		left > time.Minute {
		t.Errorf("time.Until: error %v, want none; left %v, want at least %v; left %v, want at most %v",
			err, left, 40*time.Second, left, time.Minute)
	}
	if response, err := http.Get(link.GetUrl()); err != nil || response.StatusCode != http.StatusOK ||
		response.Body.Close() != nil {
		t.Errorf("GET of the read URL: response %v, want 200; error %v", response, err)
	}
	http.DefaultClient.CloseIdleConnections()
	for range 2 {
		if _, err := ask[abi.BucketDeleteResponse](t, m, abi.Method_METHOD_BUCKET_DELETE,
			&abi.BucketDeleteRequest{Bucket: "images", Key: "one"}); err != nil {
			t.Error(err)
		}
	}
	if left := objects(t, server); len(left) != 4 {
		t.Errorf("objects: number of left %v, want %v", len(left), 4)
	}
}

func TestStorageCodes(t *testing.T) {
	t.Parallel()
	m, server := onServer(t)
	m.store(t, "there", []byte("x"))
	url := func(key string, seconds int64) *abi.BucketReadURLRequest {
		return &abi.BucketReadURLRequest{Bucket: "images", Key: key, LifetimeSeconds: seconds}
	}
	for _, c := range []struct {
		name    string
		method  abi.Method
		request proto.Message
		want    error
	}{
		{"a foreign bucket is listed", abi.Method_METHOD_BUCKET_LIST, &abi.BucketListRequest{Bucket: "files"},
			storage.ErrAccessDenied},
		{"a foreign bucket is looked at", abi.Method_METHOD_BUCKET_HEAD,
			&abi.BucketHeadRequest{Bucket: "narthex-keeper-images", Key: "there"}, storage.ErrAccessDenied},
		{"a foreign bucket is read", abi.Method_METHOD_BUCKET_GET, &abi.BucketGetRequest{Key: "there"},
			storage.ErrAccessDenied},
		{"a foreign bucket is written", abi.Method_METHOD_BUCKET_PUT,
			&abi.BucketPutRequest{Bucket: "../images", Key: "there"}, storage.ErrAccessDenied},
		{"a foreign bucket is emptied", abi.Method_METHOD_BUCKET_DELETE,
			&abi.BucketDeleteRequest{Bucket: "files", Key: "there"}, storage.ErrAccessDenied},
		{"a URL into a foreign bucket", abi.Method_METHOD_BUCKET_READ_URL,
			&abi.BucketReadURLRequest{Bucket: "files", Key: "there"}, storage.ErrAccessDenied},
		{"no such object", abi.Method_METHOD_BUCKET_HEAD, &abi.BucketHeadRequest{Bucket: "images", Key: "absent"},
			storage.ErrNotFound},
		{"nothing to read", abi.Method_METHOD_BUCKET_GET, &abi.BucketGetRequest{Bucket: "images", Key: "absent"},
			storage.ErrNotFound},
		{"no key", abi.Method_METHOD_BUCKET_GET, &abi.BucketGetRequest{Bucket: "images", Key: "../there"},
			storage.ErrKey},
		{"too short", abi.Method_METHOD_BUCKET_READ_URL, url("there", 59), storage.ErrLifetime},
		{"too long", abi.Method_METHOD_BUCKET_READ_URL, url("there", 6*3600+1), storage.ErrLifetime},
		{"negative", abi.Method_METHOD_BUCKET_READ_URL, url("there", -900), storage.ErrLifetime},
		{"past an int64", abi.Method_METHOD_BUCKET_READ_URL, url("there", 1<<55+900),
			storage.ErrLifetime}, // multiplied by 10⁹ it overflows to 900 s
		{"no such handle", abi.Method_METHOD_BUCKET_READ, &abi.BucketReadRequest{Handle: 99}, storage.ErrTimeout},
		{"too large a piece", abi.Method_METHOD_BUCKET_WRITE,
			&abi.BucketWriteRequest{Handle: 99, Data: make([]byte, pieceBytes+1)}, facade.ErrRequest},
	} {
		if _, err := ask[abi.BucketListResponse](t, m, c.method, c.request); err != c.want {
			t.Errorf("%v: ask: error %v, want %v", c.name, err, c.want)
		}
	}

	bad := m.put(t, "a//b")
	if err := m.write(t, bad, []byte("x")); err != storage.ErrKey {
		t.Errorf("write: error %v, want %v", err, storage.ErrKey)
	}
	large := m.put(t, "large")
	var err error
	for written := 0; err == nil && written < 2*storage.MaxObject; written += pieceBytes {
		err = m.write(t, large, make([]byte, pieceBytes))
	}
	if _, late := m.commit(t, large); err != storage.ErrTooLarge || late != storage.ErrTimeout {
		t.Errorf("commit: error %v, want %v; late %v, want %v",
			err, storage.ErrTooLarge, late, storage.ErrTimeout)
	}
	if left := objects(t, server); len(left) != 1 {
		t.Errorf("objects: number of left %v, want %v", len(left), 1)
	}
	server.Stop()
	if _, err := m.get(t, &abi.BucketGetRequest{Key: "there"}); err != storage.ErrUnavailable {
		t.Errorf("get: error %v, want %v", err, storage.ErrUnavailable)
	}
	last := m.put(t, "last")
	if _, err := m.commit(t, last); err != storage.ErrUnavailable {
		t.Errorf("commit: error %v, want %v", err, storage.ErrUnavailable)
	}
}

// TestPutThatIsNotCommitted checks that an uncommitted put stores nothing and frees its slot. It makes more
// puts than there are slots.
func TestPutThatIsNotCommitted(t *testing.T) {
	t.Parallel()
	m, server := onServer(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, giveUp := range map[string]func(handle uint64){
		"closed": func(handle uint64) { m.close(t, handle) },
		"cancelled": func(handle uint64) {
			_, err := askWith[abi.BucketCommitResponse](t, cancelled, m, abi.Method_METHOD_BUCKET_COMMIT,
				&abi.BucketCommitRequest{Handle: handle})
			if err != nil && err != storage.ErrTimeout {
				t.Error(err)
			}
		},
		"read from": func(handle uint64) { _, _ = m.read(t, handle) },
		"the process ends": func(uint64) {
			m.session.Close()
			m.session = m.Open()
		},
	} {
		for range 6 {
			handle := m.put(t, "half")
			if err := m.write(t, handle, make([]byte, pieceBytes)); err != nil {
				t.Fatalf("%v: write: error %v, want none", name, err)
			}
			giveUp(handle)
			if err := m.write(t, handle, []byte("x")); err != storage.ErrTimeout {
				t.Errorf("%v: write: error %v, want %v", name, err, storage.ErrTimeout)
			}
		}
	}
	if left := objects(t, server); len(left) != 0 {
		t.Errorf("objects: number of left %v, want %v", len(left), 0)
	}
}

// stalledBucket is a bucket whose results the test sets.
type stalledBucket struct {
	facade.Bucket
	get func(ctx context.Context) (storage.Object, io.ReadCloser, error)
	put func(ctx context.Context, body io.Reader) (storage.Object, error)
}

func (s stalledBucket) Get(
	ctx context.Context, _ string, _ storage.Range,
) (storage.Object, io.ReadCloser, error) {
	return s.get(ctx)
}

func (s stalledBucket) Put(ctx context.Context, _, _ string, body io.Reader) (storage.Object, error) {
	return s.put(ctx, body)
}

// TestWriteWaitsForTheHost checks that a write gets no response until the host has read the piece, and that
// the end of the process ends the wait.
func TestWriteWaitsForTheHost(t *testing.T) {
	t.Parallel()
	take, ended := make(chan struct{}), make(chan struct{})
	m := openWithStorage(t, stalledBucket{put: func(_ context.Context, body io.Reader) (storage.Object, error) {
		defer close(ended)
		<-take
		_, err := io.Copy(io.Discard, body)
		return storage.Object{}, err
	}})
	handle := m.put(t, "slow")
	written := make(chan error, 2)
	go func() { written <- m.write(t, handle, []byte("x")) }()
	select {
	case err := <-written:
		t.Error("answered before the piece was taken:", err)
	case <-time.After(50 * time.Millisecond):
	}
	take <- struct{}{}
	if err := eventually(t, "the answer", written); err != nil {
		t.Error(err)
	}
	m.session.Close()
	select {
	case <-ended:
	default:
		t.Error("the process's end did not wait for the put")
	}
}

// eventually waits for an event and fails the test if it does not happen.
func eventually[T any](t *testing.T, what string, happened <-chan T) (value T) {
	t.Helper()
	return waittest.Receive(t, what, happened)
}

// body is a body that a test truncates or blocks.
type body struct {
	io.Reader
	closed chan struct{}
}

func (b body) Close() error {
	close(b.closed)
	return nil
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method  abi.Method
		request proto.Message
		places  int
	}{
		"gets": {abi.Method_METHOD_BUCKET_GET, &abi.BucketGetRequest{Bucket: "images", Key: "a"}, 4},
		"puts": {abi.Method_METHOD_BUCKET_PUT, &abi.BucketPutRequest{Bucket: "images", Key: "a"}, 4},
	} {
		endless := func(context.Context) (storage.Object, io.ReadCloser, error) {
			return storage.Object{Size: 1 << 40}, body{endlessReader{}, make(chan struct{})}, nil
		}
		put := func(_ context.Context, body io.Reader) (storage.Object, error) {
			_, err := io.Copy(io.Discard, body)
			return storage.Object{}, err
		}
		m := openWithStorage(t, stalledBucket{get: endless, put: put})
		open := func(ctx context.Context) (uint64, error) {
			if c.method == abi.Method_METHOD_BUCKET_GET {
				response, err := askWith[abi.BucketGetResponse](t, ctx, m, c.method, c.request)
				return response.GetHandle(), err
			}
			response, err := askWith[abi.BucketPutResponse](t, ctx, m, c.method, c.request)
			return response.GetHandle(), err
		}
		var handles []uint64
		for range c.places {
			handle, err := open(t.Context())
			if err != nil {
				t.Fatalf("%v: open: error %v, want none", name, err)
			}
			handles = append(handles, handle)
		}
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := open(short); err != storage.ErrUnavailable {
			t.Errorf("%s: one more than there are places: error %v, want %v", name, err,
				storage.ErrUnavailable)
		}
		m.close(t, handles[0])
		if _, err := open(t.Context()); err != nil {
			t.Errorf("%s: a place that was given back: error %v, want none", name, err)
		}
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) { return len(p), nil }

func TestHandleLeftAloneIsGivenUp(t *testing.T) {
	t.Parallel()
	closed := body{endlessReader{}, make(chan struct{})}
	failed := make(chan error, 1)
	m := openWithStorage(t, stalledBucket{
		get: func(context.Context) (storage.Object, io.ReadCloser, error) {
			return storage.Object{Size: 1 << 40}, closed, nil
		},
		put: func(_ context.Context, body io.Reader) (storage.Object, error) {
			_, err := io.Copy(io.Discard, body)
			failed <- err
			return storage.Object{}, err
		},
	})
	m.GiveUpAfter(time.Millisecond)
	opened, err := m.get(t, &abi.BucketGetRequest{Key: "a"})
	if err != nil {
		t.Fatal(err)
	}
	handle := m.put(t, "a")
	eventually(t, "the body is closed", closed.closed)
	if err := eventually(t, "the put has failed", failed); err == nil {
		t.Error("the put was completed")
	}
	if _, err := m.read(t, opened.GetHandle()); err != storage.ErrTimeout {
		t.Errorf("read: error %v, want %v", err, storage.ErrTimeout)
	}
	if _, err := m.commit(t, handle); err != storage.ErrTimeout {
		t.Errorf("commit: error %v, want %v", err, storage.ErrTimeout)
	}
}

// TestReadThatWaitsIsCancelled checks that a read ends when its call is cancelled.
func TestReadThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	first := body{io.MultiReader(bytes.NewReader(make([]byte, pieceBytes)), reader), make(chan struct{})}
	m := openWithStorage(t, stalledBucket{get: func(context.Context) (storage.Object, io.ReadCloser, error) {
		return storage.Object{Size: 1 << 40}, closing{first, writer}, nil
	}})
	opened, err := m.get(t, &abi.BucketGetRequest{Key: "a"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	responded := make(chan error, 1)
	go func() {
		_, err := askWith[abi.BucketReadResponse](t, ctx, m, abi.Method_METHOD_BUCKET_READ,
			&abi.BucketReadRequest{Handle: opened.GetHandle()})
		responded <- err
	}()
	if err := eventually(t, "the answer", responded); err != storage.ErrTimeout {
		t.Errorf("eventually: error %v, want %v", err, storage.ErrTimeout)
	}
	eventually(t, "the body is closed", first.closed)
}

// closing unblocks a waiting Read when it is closed, as a connection does.
type closing struct {
	body
	writer *io.PipeWriter
}

func (c closing) Close() error {
	return errors.Join(c.body.Close(), c.writer.CloseWithError(errForeign))
}

const errForeign = facade.Error("HUNTER2") // not a code of storage

func TestForeignErrorsAndShortBodiesAreUnavailable(t *testing.T) {
	t.Parallel()
	short := func(context.Context) (storage.Object, io.ReadCloser, error) {
		return storage.Object{Size: 10}, body{strings.NewReader("12345"), make(chan struct{})}, nil
	}
	foreign := func(context.Context) (storage.Object, io.ReadCloser, error) {
		return storage.Object{}, nil,
			errForeign
	}
	for name, get := range map[string]func(context.Context) (storage.Object, io.ReadCloser,
		error){"short": short, "foreign": foreign} {
		m := openWithStorage(t, stalledBucket{get: get})
		for range 6 { // more often than there are slots
			if _, err := m.get(t, &abi.BucketGetRequest{Key: "a"}); err != storage.ErrUnavailable {
				t.Fatalf("%v: get: error %v, want %v", name, err, storage.ErrUnavailable)
			}
		}
	}
}

// TestManyCallsOnOneHandle is for the race detector: the calls on one handle run one after the other, also
// while the handle is closed.
func TestManyCallsOnOneHandle(t *testing.T) {
	t.Parallel()
	m := openWithStorage(t, stalledBucket{
		get: func(context.Context) (storage.Object, io.ReadCloser, error) {
			return storage.Object{Size: 4 * pieceBytes}, body{endlessReader{}, make(chan struct{})}, nil
		},
		put: func(_ context.Context, body io.Reader) (storage.Object, error) {
			_, err := io.Copy(io.Discard, body)
			return storage.Object{}, err
		},
	})
	for range 50 {
		handle := m.put(t, "a")
		opened, err := m.get(t, &abi.BucketGetRequest{Key: "a"})
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		for n := range 8 {
			calls.Go(func() {
				_, _ = m.read(t, opened.GetHandle())
				switch n {
				case 5:
					_, _ = m.commit(t, handle)
				case 6:
					m.close(t, handle)
				default:
					_ = m.write(t, handle, make([]byte, 100))
				}
			})
		}
		calls.Wait()
	}
}
