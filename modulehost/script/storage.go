package script

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// storageNatives are the calls of a bucket. The first argument is its name, the second a key.
func (e *engine) storageNatives() map[string]any {
	return map[string]any{
		"bucketList": e.promised(func(a arguments) work {
			bucket := a.bucketName()
			prefix, after, limit := a.text(1, "a prefix"), a.text(2, "a key"), int(a.number(3, 0))
			return func(ctx context.Context, _ *call) (result, error) {
				page, err := e.host.Storage.Bucket(bucket).List(ctx, prefix, after, limit)
				return func() (goja.Value, error) { return e.page(page) }, err
			}
		}),
		"bucketHead": e.promised(func(a arguments) work {
			bucket, key := a.bucketName(), a.text(1, "a key")
			return func(ctx context.Context, _ *call) (result, error) {
				object, err := e.host.Storage.Bucket(bucket).Head(ctx, key)
				return func() (goja.Value, error) { return e.stored(object) }, err
			}
		}),
		"bucketGet": e.promised(func(a arguments) work {
			bucket, key := a.bucketName(), a.text(1, "a key")
			return func(ctx context.Context, _ *call) (result, error) {
				return e.readObject(ctx, e.host.Storage.Bucket(bucket), key)
			}
		}),
		"bucketPut": e.promised(func(a arguments) work {
			bucket, key, kind, content := a.bucketName(), a.text(1, "a key"), a.text(2, "a content type"), a.content(3)
			return func(ctx context.Context, _ *call) (result, error) {
				object, err := e.host.Storage.Bucket(bucket).Put(ctx, key, kind, content)
				return func() (goja.Value, error) { return e.stored(object) }, err
			}
		}),
		"bucketDelete": e.promised(func(a arguments) work {
			bucket, key := a.bucketName(), a.text(1, "a key")
			return func(ctx context.Context, _ *call) (result, error) {
				return nil, e.host.Storage.Bucket(bucket).Delete(ctx, key)
			}
		}),
		"bucketReadURL": e.promised(e.readURL),
	}
}

func (a arguments) bucketName() string { return a.text(0, "the name of a bucket") }

// content returns what is put: a request's body as it arrives, a text or bytes.
func (a arguments) content(n int) io.Reader {
	if own, is := a.at(n).Export().(*requestBody); is {
		return own.body
	}
	return bytes.NewReader(a.bytes(n, "the content"))
}

func (e *engine) readURL(a arguments) work {
	bucket, key := a.bucketName(), a.text(1, "a key")
	lifetime := time.Duration(a.number(2, 0)) * time.Second
	var options []sdk.ReadURLOption
	if !missing(a.at(3)) {
		options = append(options, sdk.DownloadAs(a.text(3, "a download name")))
	}
	if a.at(4).ToBoolean() {
		options = append(options, sdk.Unchanging())
	}
	return func(ctx context.Context, _ *call) (result, error) {
		address, ends, err := e.host.Storage.Bucket(bucket).CreateReadURL(ctx, key, lifetime, options...)
		return func() (goja.Value, error) {
			date, err := e.date(ends)
			return e.object(map[string]any{"url": address, "expiresAt": date}), err
		}, err
	}
}

// readObject reads an object with its content, at most 32 MiB.
func (e *engine) readObject(ctx context.Context, bucket *sdk.Bucket, key string) (result, error) {
	object, body, err := bucket.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	return func() (goja.Value, error) {
		made, err := e.stored(object)
		if err != nil {
			return nil, err
		}
		data, err := e.byteArray(content)
		if err != nil {
			return nil, err
		}
		return made, made.ToObject(e.vm).Set("bytes", data)
	}, err
}

func (e *engine) stored(object sdk.Object) (goja.Value, error) {
	modified, err := e.date(object.Modified)
	if err != nil {
		return nil, fmt.Errorf("object %s: %w", object.Key, err)
	}
	return e.object(map[string]any{"key": object.Key, "size": object.Size, "contentType": object.ContentType,
		"etag": object.ETag, "modified": modified}), nil
}

func (e *engine) page(page sdk.Page) (goja.Value, error) {
	objects := make([]any, len(page.Objects))
	for n, object := range page.Objects {
		made, err := e.stored(object)
		if err != nil {
			return nil, err
		}
		objects[n] = made
	}
	return e.object(map[string]any{"objects": e.vm.NewArray(objects...), "next": page.Next}), nil
}
