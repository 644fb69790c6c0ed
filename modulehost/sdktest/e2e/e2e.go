// Package e2e has the tests that drive the SDK with the host's real side of the link: the real facade, a real
// PostgreSQL and a real object storage. They stand here because the SDK is a Go module of its own, which
// knows nothing of the host.
package e2e
