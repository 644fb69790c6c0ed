// Package e2e holds the tests that build the program and run it as its users do: they start it, signal it,
// kill it, and send it requests.
package e2e
