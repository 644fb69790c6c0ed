// Package storage is the client of the installation's S3 service: the buckets of modules, the objects in
// them, and the URLs by which browsers read them.
//
// No bucket name, endpoint, credential, request id or text of the service leaves this package. An error is
// only one of its codes, or the error of a Put's source. A bucket is created with its first object. Before,
// it is treated as empty.
package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// MaxObject is the largest size of an object, in bytes.
const MaxObject = 32 << 20

// Provider has the connections to the service. It is safe for concurrent use, also with other processes that
// use the same buckets.
type Provider struct {
	client    *s3.Client
	transport *http.Transport
	prefix    string
	reading   reading
	pieces    sync.Pool // of *[]byte, pieceSize each
	spoolDir  string    // "": the directory for temporary files
	limits    limits
	now       func() time.Time
	counts    *counts

	mu    sync.Mutex
	disks map[string]*atomic.Int64 // bytes of disk space used by bodies, by module
}

// limits are the limits of waiting times and disk space. The times are shorter than that of a module's
// handler (30 s), so that the handler can still respond.
type limits struct {
	call  time.Duration // the whole of a call without a body
	stall time.Duration // between two transfers of bytes of a body
	spool int64         // bytes per module
}

// ErrSettings: there can be no object storage with the settings.
var ErrSettings = errors.New("storage: the settings are not valid")

// New makes a Provider. It opens no connection. The only error is ErrSettings: there is no endpoint, or
// endpoint or delivery origin is not an http or https URL.
func New(settings setting.Storage) (*Provider, error) {
	reading, err := newReading(settings)
	if err != nil {
		return nil, err
	}
	transport, counts := newTransport(), new(counts)
	return &Provider{
		client:    newClient(settings, transport, counts),
		transport: transport,
		prefix:    settings.BucketPrefix,
		reading:   reading,
		pieces:    sync.Pool{New: func() any { piece := make([]byte, pieceSize); return &piece }},
		spoolDir:  settings.Spool,
		limits:    limits{call: deadlines.Object, stall: deadlines.Object, spool: maxSpool},
		now:       time.Now,
		counts:    counts,
		disks:     make(map[string]*atomic.Int64),
	}, nil
}

// Close closes the idle connections. Calls in progress continue.
func (p *Provider) Close() { p.transport.CloseIdleConnections() }

// Bucket returns a module's bucket. It sends no request. The caller must check that the module's manifest
// declares the bucket.
func (p *Provider) Bucket(moduleID, bucketID string) *Bucket {
	p.mu.Lock()
	defer p.mu.Unlock()
	disk, known := p.disks[moduleID]
	if !known {
		disk = new(atomic.Int64)
		p.disks[moduleID] = disk
	}
	return &Bucket{provider: p, name: physicalName(p.prefix, moduleID, bucketID), disk: disk}
}

// Bucket is one bucket of a module. It is safe for concurrent use. When the ctx of a call ends, the call
// returns TIMEOUT. After TIMEOUT and UNAVAILABLE, a Put or Delete may have succeeded nevertheless; both may
// be repeated.
type Bucket struct {
	provider *Provider
	name     string
	disk     *atomic.Int64 // of all buckets of the module
}

// Object is the service's description of an object.
type Object struct {
	Key         string
	Size        int64     // bytes of the whole object
	ContentType string    // "" in a Page
	ETag        string    // with its quotes, as in HTTP
	Modified    time.Time // zero after Put
}

// physicalName returns the bucket's name in the service. It is deterministic and, because of its hash,
// different for each combination of the arguments.
func physicalName(prefix, moduleID, bucketID string) string {
	hash := sha256.Sum256([]byte(prefix + "\x00" + moduleID + "\x00" + bucketID))
	name := prefix + "-" + moduleID + "-" + bucketID
	return name[:min(len(name), 52)] + "-" + hex.EncodeToString(hash[:5])
}
