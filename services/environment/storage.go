package environment

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// readSpool uses the first directory that systemd made for the service's state or cache. These are on disk,
// while /tmp may be in memory.
func readSpool(in input, out *Settings) Error {
	dir, _, _ := strings.Cut(in.value, ":")
	if in.set && out.Storage.Spool == "" && filepath.IsAbs(dir) {
		out.Storage.Spool = filepath.Clean(dir)
	}
	return ""
}

func readStorageEndpoint(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	endpoint, ok := parseEndpoint(in.value, in.production)
	if !ok {
		return ErrObjectStorage
	}
	out.Storage.Endpoint = strings.TrimSuffix(endpoint.String(), "/")
	out.Storage.Delivery = endpoint.Scheme + "://" + endpoint.Host
	return ""
}

// parseEndpoint parses an absolute URL without credentials, query and fragment.
func parseEndpoint(text string, production bool) (*url.URL, bool) {
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Host == "" || endpoint.Hostname() == "" || endpoint.Opaque != "" ||
		endpoint.User != nil ||
		endpoint.RawQuery != "" || endpoint.ForceQuery || strings.Contains(text, "#") {
		return nil, false
	}
	return endpoint, endpoint.Scheme == "https" || endpoint.Scheme == "http" && !production
}

func readStorageAccessKey(in input, out *Settings) Error {
	return readStorageKey(in, out, &out.Storage.AccessKey)
}

func readStorageSecretKey(in input, out *Settings) Error {
	return readStorageKey(in, out, &out.Storage.SecretKey)
}

// readStorageKey requires a key when there is an endpoint.
func readStorageKey(in input, out *Settings, key *Secret) Error {
	if !in.set && out.Storage.Endpoint != "" {
		return ErrObjectStorage
	}
	*key = NewSecret(in.value)
	return ""
}

var (
	regionName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	})
	bucketPrefix = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,19}$`)
	})
)

func readStorageRegion(in input, out *Settings) Error {
	out.Storage.Region = "us-east-1"
	if !in.set {
		return ""
	}
	out.Storage.Region = in.value
	return unless(regionName().MatchString(in.value), ErrObjectStorage)
}

func readStoragePathStyle(in input, out *Settings) Error {
	out.Storage.ForcePathStyle = in.value != "false"
	return unless(!in.set || in.value == "true" || in.value == "false", ErrObjectStorage)
}

func readStoragePrefix(in input, out *Settings) Error {
	out.Storage.BucketPrefix = "narthex"
	if !in.set {
		return ""
	}
	out.Storage.BucketPrefix = in.value
	return unless(bucketPrefix().MatchString(in.value), ErrObjectStorage)
}

func readStorageDelivery(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	delivery, ok := parseEndpoint(in.value, in.production)
	if !ok || delivery.Path != "" {
		return ErrObjectStorage
	}
	out.Storage.Delivery = in.value
	return ""
}

// unless returns code when a rule is broken (kept is false), otherwise "".
func unless(kept bool, code Error) Error {
	if kept {
		return ""
	}
	return code
}
