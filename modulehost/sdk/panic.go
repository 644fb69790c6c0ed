package sdk

import (
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
)

// reportPanic is deferred around every call. The response to a panic has nothing but a code, so the author
// finds the value and the stack on standard error. The platform keeps that output and copies it into no log.
func reportPanic() {
	if value := recover(); value != nil {
		if value != http.ErrAbortHandler {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", value, debug.Stack())
		}
		panic(value)
	}
}
