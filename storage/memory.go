package storage

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
)

// Memory is a bucket that keeps its objects in memory, for trials of modules. It has the methods and the
// codes of Bucket. Safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	objects map[string]stored
}

// NewMemory makes an empty bucket.
func NewMemory() *Memory { return &Memory{objects: make(map[string]stored)} }

type stored struct {
	Object
	content []byte
}

// List works like Bucket.List.
func (b *Memory) List(_ context.Context, prefix, after string, limit int) (page Page, _ error) {
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

// Head works like Bucket.Head.
func (b *Memory) Head(_ context.Context, key string) (Object, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, exists := b.objects[key]
	if !exists {
		return Object{}, ErrNotFound
	}
	return found.Object, nil
}

// Get works like Bucket.Get.
func (b *Memory) Get(
	_ context.Context, key string, part Range,
) (Object, io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, exists := b.objects[key]
	if !exists {
		return Object{}, nil, ErrNotFound
	}
	content := found.content[min(part.Offset, uint64(len(found.content))):]
	if part.Length > 0 {
		content = content[:min(part.Length, uint64(len(content)))]
	}
	return found.Object, io.NopCloser(bytes.NewReader(content)), nil
}

// Put works like Bucket.Put.
func (b *Memory) Put(_ context.Context, key, contentType string, body io.Reader) (Object, error) {
	content, err := io.ReadAll(io.LimitReader(body, MaxObject+1))
	switch {
	case err != nil:
		return Object{}, err
	case len(content) > MaxObject:
		return Object{}, ErrTooLarge
	}
	hash := md5.Sum(content)
	object := Object{Key: key, Size: int64(len(content)), ContentType: contentType,
		ETag: `"` + hex.EncodeToString(hash[:]) + `"`, Modified: time.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = stored{object, content}
	return object, nil
}

// Delete works like Bucket.Delete.
func (b *Memory) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, key)
	return nil
}

// CreateReadURL returns a URL without a server, because a trial does not open links.
func (b *Memory) CreateReadURL(
	_ context.Context, key string, lifetime time.Duration, _ Delivery,
) (string, time.Time, error) {
	if lifetime == 0 {
		lifetime = DefaultLifetime
	}
	if lifetime < MinLifetime || lifetime > MaxLifetime {
		return "", time.Time{}, ErrLifetime
	}
	return "https://objects.invalid/" + key, time.Now().Add(lifetime), nil
}
