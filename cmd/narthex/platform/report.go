package platform

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/narthex-platform/narthex/services/database"
)

// Report prints an error, one line "CODE: sentence" for each failure, without causes.
func Report(w io.Writer, err error) {
	lines := failureLines(err)
	if len(lines) == 0 {
		lines = []string{"INTERNAL_ERROR: Something unexpected failed; nothing more is known outside the program."}
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	reportShutdown(w, err)
	if advised := (advisedError{}); errors.As(err, &advised) {
		fmt.Fprintln(w, advised.advice)
	}
}

// Advised adds a second line to an error that says what to do.
func Advised(err error, advice string) error { return advisedError{err, advice} }

// advisedError is an error with advice on a second line.
type advisedError struct {
	error
	advice string
}

func (e advisedError) Unwrap() error { return e.error }

func failureLines(err error) (lines []string) {
	for _, failure := range Failures(err) {
		lines = append(lines, strings.Split(Sentence(failure), "\n")...)
	}
	return lines
}

func FailureCodes(err error) (codes []string) {
	for _, failure := range Failures(err) {
		codes = append(codes, failure.Code())
	}
	return codes
}

// Coded is an error whose code and text may be shown to people and callers.
type Coded interface {
	error
	Code() string
}

// Failures returns the coded errors in a tree of errors, in order. It does not look into a coded error.
func Failures(err error) []Coded {
	switch e := err.(type) {
	case Coded:
		return []Coded{e}
	case interface{ Unwrap() []error }:
		var found []Coded
		for _, inner := range e.Unwrap() {
			found = append(found, Failures(inner)...)
		}
		return found
	case interface{ Unwrap() error }:
		return Failures(e.Unwrap())
	}
	return nil
}

// Sentence returns the line for an error. It adds the sentence for codes whose packages leave the text to
// their callers.
func Sentence(err Coded) string {
	code := err.Code()
	if text := err.Error(); strings.Contains(text, ": ") {
		return unreachableBecause(err, text)
	}
	switch code {
	case "MODULES_DIRECTORY_INVALID":
		return code + ": SERVICE_MODULES_DIR must be the absolute path of a directory, or not be set at all."
	case "MODULES_DIRECTORY_UNREADABLE":
		return code + ": The modules directory does not exist or cannot be read; check SERVICE_MODULES_DIR and " +
			"its permissions."
	case "SERVICE_START_CANCELLED", "SUPERVISOR_STOPPED":
		return code + ": The start was interrupted; nothing is left running."
	case "STORE_UNAVAILABLE":
		return code + ": The database did not answer; check DATABASE_URL and whether the server runs."
	}
	return code + ": The command stopped; docs/reference/error-codes.md says what this code means."
}

// unreachableBecause inserts the reason before the general advice, which the database and the migrations
// share.
func unreachableBecause(err error, text string) string {
	general := database.ErrUnreachable.Error()
	if _, combined := err.(causedError); combined || !strings.HasPrefix(text, general) {
		return text // the parts of a combined error have been handled already
	}
	why := database.WhyOf(err)
	return database.ErrUnreachable.Code() + ": The database did not accept a session (" + string(why) + "). " +
		why.Sentence() +
		strings.TrimPrefix(text, general)
}

// causedError prints two codes on one line: the failure and its cause.
type causedError struct {
	failure Coded
	cause   error
}

func (e causedError) Error() string {
	return strings.Join(append([]string{e.failure.Code()}, failureLines(e.cause)...), ": ")
}

// Code returns the failure's code.
func (e causedError) Code() string { return e.failure.Code() }

func (e causedError) Unwrap() []error { return []error{e.failure, e.cause} }
