package conformance

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/storage"
)

// values give every key its default, and every required one without a default some value that its
// declaration accepts.
func values(m *manifest.Manifest) map[string]any {
	values := make(map[string]any)
	for _, d := range m.Configuration {
		switch {
		case d.Default != nil:
			values[d.Key] = d.Default
		case d.Required && d.Type != manifest.TypeSecret:
			values[d.Key] = someValue(d)
		}
	}
	return values
}

// settings are the values as the module gets them.
func settings(m *manifest.Manifest) []*abi.Setting {
	return facade.Settings(m.Configuration, values(m))
}

// storedSettings are the values as the platform stores them.
func storedSettings(m *manifest.Manifest) map[string]string {
	all, texts := values(m), make(map[string]string)
	for _, d := range m.Configuration {
		if value, found := all[d.Key]; found {
			texts[d.Key] = d.Text(value)
		}
	}
	return texts
}

func someValue(d manifest.Declaration) any {
	switch d.Type {
	case manifest.TypeInteger:
		switch {
		case d.Minimum != nil:
			return *d.Minimum
		case d.Maximum != nil:
			return *d.Maximum
		}
		return int64(1)
	case manifest.TypeBoolean:
		return true
	case manifest.TypeEnum:
		return d.Values[0]
	case manifest.TypeURL:
		return "https://example.org/"
	}
	length := int64(1)
	if d.MinLength != nil {
		length = max(length, *d.MinLength)
	}
	return strings.Repeat("x", int(length))
}

// secrets give every declared secret a value.
func secrets(m *manifest.Manifest) map[string]string {
	values := make(map[string]string)
	for _, d := range m.Configuration {
		if d.Type == manifest.TypeSecret {
			values[d.Key] = "conformance"
		}
	}
	return values
}

// noModules is what the module reaches of others: none is there.
type noModules struct{}

func (noModules) Invoke(context.Context, string, string, []byte) ([]byte, error) {
	return nil, facade.ErrCapabilityAbsent
}

// mailTaker is a mail server that takes everything and delivers nothing.
type mailTaker struct{}

func (mailTaker) Send(context.Context, mail.Message) mail.SendResult { return mail.Sent }

func buckets(m *manifest.Manifest) map[string]facade.Bucket {
	all := make(map[string]facade.Bucket, len(m.Buckets))
	for _, id := range m.Buckets {
		all[id] = &bucket{objects: make(map[string]stored)}
	}
	return all
}

// bucket keeps objects in memory. Safe for concurrent use.
type bucket struct {
	mu      sync.Mutex
	objects map[string]stored
}

type stored struct {
	storage.Object
	content []byte
}

// List pages by key, as storage.Bucket does.
func (b *bucket) List(_ context.Context, prefix, after string, limit int) (page storage.Page, _ error) {
	if limit < 1 || limit > 1000 {
		limit = 1000
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		switch {
		case !strings.HasPrefix(key, prefix) || key <= after:
		case len(page.Objects) == limit:
			page.Next = page.Objects[limit-1].Key
			return page, nil
		default:
			object := b.objects[key].Object
			object.ContentType = ""
			page.Objects = append(page.Objects, object)
		}
	}
	return page, nil
}

func (b *bucket) Head(_ context.Context, key string) (storage.Object, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, exists := b.objects[key]
	if !exists {
		return storage.Object{}, storage.ErrNotFound
	}
	return found.Object, nil
}

func (b *bucket) Get(
	_ context.Context, key string, part storage.Range,
) (storage.Object, io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, exists := b.objects[key]
	if !exists {
		return storage.Object{}, nil, storage.ErrNotFound
	}
	content := found.content[min(part.Offset, uint64(len(found.content))):]
	if part.Length > 0 {
		content = content[:min(part.Length, uint64(len(content)))]
	}
	return found.Object, io.NopCloser(bytes.NewReader(content)), nil
}

func (b *bucket) Put(_ context.Context, key, contentType string, body io.Reader) (storage.Object, error) {
	content, err := io.ReadAll(io.LimitReader(body, storage.MaxObject+1))
	switch {
	case err != nil:
		return storage.Object{}, err
	case len(content) > storage.MaxObject:
		return storage.Object{}, storage.ErrTooLarge
	}
	hash := md5.Sum(content)
	object := storage.Object{Key: key, Size: int64(len(content)), ContentType: contentType,
		ETag: `"` + hex.EncodeToString(hash[:]) + `"`, Modified: time.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = stored{object, content}
	return object, nil
}

func (b *bucket) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, key)
	return nil
}

// CreateReadURL returns an address at which nobody answers: a trial follows no link.
func (b *bucket) CreateReadURL(
	_ context.Context, key string, lifetime time.Duration, _ string,
) (string, time.Time, error) {
	if lifetime == 0 {
		lifetime = storage.DefaultLifetime
	}
	if lifetime < storage.MinLifetime || lifetime > storage.MaxLifetime {
		return "", time.Time{}, storage.ErrLifetime
	}
	return "https://objects.invalid/" + key, time.Now().Add(lifetime), nil
}
