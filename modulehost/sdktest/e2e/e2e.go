// Package e2e contains tests of the SDK with the host's real side of the link: the real facade, a real
// PostgreSQL and a real object storage. They are not in the SDK, because the SDK is a Go module of its own
// and must not import the host.
package e2e
