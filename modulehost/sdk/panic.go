package sdk

import (
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
)

// tellPanic is deferred around every call: the platform answers a panic with a code alone, so its author
// finds value and stack on standard error. The platform keeps that and copies it into no log.
func tellPanic() {
	if value := recover(); value != nil {
		if value != http.ErrAbortHandler {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", value, debug.Stack())
		}
		panic(value)
	}
}
