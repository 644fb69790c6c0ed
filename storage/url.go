package storage

import (
	"context"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// The lifetimes of a read URL.
const (
	MinLifetime     = time.Minute
	MaxLifetime     = 6 * time.Hour
	DefaultLifetime = 15 * time.Minute
)

// Delivery is how the object of a read URL is delivered.
type Delivery struct {
	// Name makes the response a download with this file name and with a type that no browser shows.
	Name string
	// Unchanging means that no other object will be stored under this key: a browser keeps what it has read as
	// long as the URL can be valid, and does not ask again. Shared caches may not keep it.
	Unchanging bool
}

// reading contains everything that is needed to make read URLs.
type reading struct {
	delivery  url.URL // scheme and host of the delivery origin, path of the endpoint
	pathStyle bool
	region    string
	settings  setting.Storage // for the credentials
	signer    *v4.Signer
}

func newReading(settings setting.Storage) (reading, error) {
	endpoint, err := url.Parse(settings.Endpoint)
	if err != nil || !isHTTP(endpoint) {
		return reading{}, ErrSettings
	}
	delivery, err := url.Parse(settings.Delivery)
	if err != nil || !isHTTP(delivery) {
		return reading{}, ErrSettings
	}
	return reading{
		delivery: url.URL{Scheme: delivery.Scheme, Host: delivery.Host, Path: endpoint.Path},
		// An IP address has no subdomains, so it needs path style.
		pathStyle: settings.ForcePathStyle || net.ParseIP(delivery.Hostname()) != nil,
		region:    settings.Region,
		settings:  settings,
		signer:    v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }),
	}, nil
}

func isHTTP(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// CreateReadURL returns a URL on the delivery origin with which anybody can read the object, or ranges of it,
// until expiresAt. It sends no request and does not check that the object exists. A lifetime of 0 is
// DefaultLifetime. Time is divided into windows of a third of the lifetime, which are the same in every
// process. Within a window the URL does not change, so that browsers can cache the object. So the URL is
// valid for at least two thirds of the lifetime. The URL is a bearer capability: authorize first, never log
// or store it. Errors: KEY_INVALID, LIFETIME_INVALID.
//
// The type of the object decides how it is delivered, unless as has a name: types that a browser might
// execute were stored as a download (see disposition).
func (b *Bucket) CreateReadURL(ctx context.Context, key string, lifetime time.Duration, as Delivery) (
	readURL string, expiresAt time.Time, err error,
) {
	if lifetime == 0 {
		lifetime = DefaultLifetime
	}
	switch {
	case !validKey(key), as.Name != "" && !validName(as.Name):
		return "", time.Time{}, ErrKey
	case lifetime < MinLifetime || lifetime > MaxLifetime:
		return "", time.Time{}, ErrLifetime
	}
	lifetime = lifetime.Truncate(time.Second) // S3 counts seconds
	signedAt := b.provider.now().UTC().Truncate(lifetime / 3).Truncate(time.Second)
	r := &b.provider.reading
	request := &http.Request{Method: http.MethodGet, Header: http.Header{}, URL: r.url(b.name, key)}
	seconds := strconv.FormatInt(int64(lifetime/time.Second), 10)
	query := url.Values{"X-Amz-Expires": {seconds}}
	if as.Name != "" {
		query.Set("response-content-disposition",
			mime.FormatMediaType(attachment, map[string]string{"filename": as.Name}))
		query.Set("response-content-type", unknownType)
	}
	if as.Unchanging {
		query.Set("response-cache-control", "private, max-age="+seconds+", immutable")
	}
	request.URL.RawQuery = query.Encode()
	readURL, _, err = r.signer.PresignHTTP(ctx, credentials(r.settings), request, "UNSIGNED-PAYLOAD", "s3",
		r.region, signedAt)
	if err != nil {
		return "", time.Time{}, ErrUnavailable
	}
	return readURL, signedAt.Add(lifetime), nil
}

// url returns the object's URL in the client library's format. For all characters that keys may contain,
// net/url escapes like S3, so the signed URL is equal to the requested one.
func (r *reading) url(bucket, key string) *url.URL {
	u := r.delivery
	if r.pathStyle {
		key = bucket + "/" + key
	} else {
		u.Host = bucket + "." + u.Host
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + key
	return &u
}
