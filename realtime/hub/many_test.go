//go:build !race

package hub_test

// many is the number of readers for which performance is promised.
const many = 5_000
