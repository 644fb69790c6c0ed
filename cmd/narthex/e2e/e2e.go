// Package e2e has the tests that build the program and run it as its users do: start it, signal it, kill
// it, and talk to it.
package e2e
