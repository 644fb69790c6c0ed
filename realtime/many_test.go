//go:build !race

package realtime_test

// many readers are the number that performance is promised for.
const many = 5_000
