//go:build !race

package realtime_test

// many is the number of readers for which performance is promised.
const many = 5_000
