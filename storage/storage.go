// Package storage owns the way to the installation's S3 service: the buckets of modules, the objects in
// them, and the URLs by which browsers read them.
//
// No bucket name, endpoint, credential, request id or text of the service leaves this package: an error is
// one of its codes and nothing else, or what the source of a Put said itself. A bucket comes into being
// with its first object. Until then it is empty.
package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/narthex-platform/narthex/services/environment"
)

// MaxObject is how many bytes an object may have.
const MaxObject = 32 << 20

// Provider holds the connections to the service. It is safe for concurrent use, also beside other processes
// on the same buckets.
type Provider struct {
	client    *s3.Client
	transport *http.Transport
	prefix    string
	reading   reading
	pieces    sync.Pool // of *[]byte, pieceSize each
	spoolDir  string    // "": that of temporary files
	limits    limits
	now       func() time.Time
	counts    *counts

	mu    sync.Mutex
	disks map[string]*atomic.Int64 // bytes of the disk that bodies take, by module
}

// within is less than a handler of a module has (30 s), so that the module can still answer itself.
const within = 15 * time.Second

// limits bound the waiting, and the disk.
type limits struct {
	call  time.Duration // a call without a body, in all
	stall time.Duration // a body in which no byte moves
	spool int64         // bytes a module
}

// New makes the provider and opens no connection. The only error is environment.ErrObjectStorage: there is
// no endpoint, or one of the two is no http or https URL.
func New(settings environment.Storage) (*Provider, error) {
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
		limits:    limits{call: within, stall: within, spool: maxSpool},
		now:       time.Now,
		counts:    counts,
		disks:     make(map[string]*atomic.Int64),
	}, nil
}

// Close closes the idle connections. Calls under way go on.
func (p *Provider) Close() { p.transport.CloseIdleConnections() }

// Bucket returns a module's bucket, without asking the service. Whether the module's manifest declares it
// is the caller's to check.
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

// Bucket is one module's place for objects. It is safe for concurrent use. Its calls follow ctx; when ctx
// ends first, the code is TIMEOUT. After TIMEOUT and UNAVAILABLE a Put or Delete may have been done
// nevertheless; each may simply be repeated.
type Bucket struct {
	provider *Provider
	name     string
	disk     *atomic.Int64 // of all buckets of the module
}

// Object is what the service knows of an object.
type Object struct {
	Key         string
	Size        int64     // bytes of the whole object
	ContentType string    // "" in a Page
	ETag        string    // with its quotes, as HTTP has it
	Modified    time.Time // zero after Put
}

// physicalName is the bucket's name at the service: deterministic and, by its hash, another for every triple.
func physicalName(prefix, moduleID, bucketID string) string {
	hash := sha256.Sum256([]byte(prefix + "\x00" + moduleID + "\x00" + bucketID))
	name := prefix + "-" + moduleID + "-" + bucketID
	return name[:min(len(name), 52)] + "-" + hex.EncodeToString(hash[:5])
}
