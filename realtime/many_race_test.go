//go:build race

package realtime_test

// many is a tenth with the race detector, which makes every delivery about ten times as dear.
const many = 500
