package environment

import (
	"math"
	"unicode/utf8"
)

// highEntropy requires at least 32 characters with together 96 bits of entropy, computed from the frequencies
// of the characters. 32 random hexadecimal digits have about 112 bits, a word written four times about 88.
func highEntropy(secret string) bool {
	length := utf8.RuneCountInString(secret)
	if length < 32 {
		return false
	}
	counts := make(map[rune]int)
	for _, r := range secret {
		counts[r]++
	}
	var bits float64
	for _, count := range counts {
		bits -= float64(count) * math.Log2(float64(count)/float64(length))
	}
	return bits >= 96
}
