package link

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Error is a stable code that callers may see; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrLost: the link has ended. Every call in progress and every later call returns it. It is unknown whether
	// the other end has executed a call in progress.
	ErrLost = Error("LINK_LOST")
	// ErrTooLarge: the request is longer than MaxMessage. Nothing was sent and the link stays up.
	ErrTooLarge = Error("MESSAGE_TOO_LARGE")
	// ErrOverloaded: the response was dropped, because the module has reached its limit of the host's memory
	// (Charge).
	ErrOverloaded = Error("MODULE_OVERLOADED")
	// ErrNoDeadline: the call has no deadline, so it could wait for ever. That is a mistake of the caller.
	ErrNoDeadline = Error("CALL_WITHOUT_DEADLINE")
	// ErrUnencodable: protobuf refused the request, for example text that is not UTF-8. Nothing was sent.
	ErrUnencodable = Error("MESSAGE_UNENCODABLE")
)

// The codes of failures that Serve itself sends.
const (
	CodeFailed    = "FAILED"            // the handler returned an error without a code
	CodePanicked  = "HANDLER_PANICKED"  // the handler panicked; the process continues
	CodeTooLarge  = "MESSAGE_TOO_LARGE" // the handler's response is longer than MaxMessage
	CodeCancelled = "CALL_CANCELLED"    // cancelled before a handler was called

	// CodeOverloaded: the module has reached its limit of the host's memory (Charge). The handler was not
	// called.
	CodeOverloaded = "HOST_OVERLOADED"
)

// maxCode bounds a failure's code in bytes.
const maxCode = 64

// Failure is an error that a handler returns with a code and a detail. Call returns it to the caller, where
// errors.As finds it. The code is sent by the other end: it is 1 to 64 of A-Z, 0-9 and underscore, and
// otherwise not verified.
type Failure struct {
	CodeText string
	Detail   []byte
}

// Error returns only the code. The detail is for the program, not for a log.
func (f *Failure) Error() string { return f.CodeText }

// Code returns the handler's code.
func (f *Failure) Code() string { return f.CodeText }

// failureOf returns the failure that is sent for a handler's error: with its code if it has one, never with
// its text.
func failureOf(err error) *Failure {
	var failure *Failure
	if errors.As(err, &failure) && validCode(failure.CodeText) {
		return failure
	}
	var coded interface{ Code() string }
	if errors.As(err, &coded) && validCode(coded.Code()) {
		return &Failure{CodeText: coded.Code()}
	}
	return &Failure{CodeText: CodeFailed}
}

func validCode(code string) bool {
	if code == "" || len(code) > maxCode {
		return false
	}
	for _, c := range []byte(code) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

func lost(cause error) error { return fmt.Errorf("%w: %w", ErrLost, brokenBy(cause)) }

// rule is a rule of docs/link.md that the peer has broken, in the host's own text.
type rule string

func (r rule) Error() string { return string(r) }

// The rules with their numbers in docs/link.md, which help the author of an SDK to find a mistake.
const (
	errFrameLength       = rule("7.1 frame length outside the limits")
	errFrameKind         = rule("7.2 frame kind not expected here")
	errFrameBody         = rule("7.3 payload where none belongs")
	errFrameShort        = rule("7.4 frame cut short")
	errNeverAsked        = rule("7.5 answer to nothing that was asked")
	errNotDecoded        = rule("7.6 payload is not the message it should be")
	errCallTwice         = rule("7.7 call id is already in service")
	errLend              = rule("7.8 no body socket, or a second one for a call")
	errTooManyUnanswered = rule("7.9 too many abandoned calls were never answered")
	errWriteSlow         = rule("7.10 write took longer than 2 seconds")
	errPiece             = rule("7.11 piece that breaks the rules of a body")
)

// Rule returns the number and the words of the rule of docs/link.md that a peer has broken so that the link
// was lost; "" if there is none or it is unknown. It contains nothing that the peer has sent.
func Rule(err error) string {
	broken, _ := errors.AsType[rule](err)
	return string(broken)
}

// brokenBy adds the rule to an error of the socket.
func brokenBy(cause error) error {
	switch {
	case errors.Is(cause, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", errFrameShort, cause)
	case errors.Is(cause, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: %w", errWriteSlow, cause)
	}
	return cause
}

// The payload of a failure: uvarint length of the code, the code, and the rest is the detail.

func appendFailure(b []byte, f *Failure) []byte {
	b = binary.AppendUvarint(b, uint64(len(f.CodeText)))
	b = append(b, f.CodeText...)
	return append(b, f.Detail...)
}

// parseFailure copies the bytes that it keeps.
func parseFailure(payload []byte) (*Failure, bool) {
	length, n := binary.Uvarint(payload)
	if n <= 0 || length > maxCode || uint64(len(payload)-n) < length {
		return nil, false
	}
	code, detail := payload[n:n+int(length)], payload[n+int(length):]
	failure := &Failure{CodeText: string(code)}
	if len(detail) > 0 {
		failure.Detail = append([]byte(nil), detail...)
	}
	return failure, validCode(failure.CodeText)
}
