package devices

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
)

const codeDigits = 6

// randomCode returns one of the million codes, all equally likely.
func randomCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // the random source ends the process instead of failing
	}
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// isCode reports whether text has the format of a code.
func isCode(text string) bool {
	return len(text) == codeDigits && strings.Trim(text, "0123456789") == ""
}
