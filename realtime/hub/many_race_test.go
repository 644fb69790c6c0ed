//go:build race

package hub_test

// many is a tenth under the race detector, which makes every delivery about ten times as slow.
const many = 500
