package platform

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/narthex-platform/narthex/services/database"
)

// Report prints what went wrong, one line "CODE: sentence" for each failure, never a cause behind it.
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

// Advised gives an error a second line, which tells the way out.
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

// Coded is an error that people and callers may be told of.
type Coded interface {
	error
	Code() string
}

// Failures finds the coded errors of a tree of errors, in order. What a coded error wraps is its own
// business.
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

// Sentence adds one to the codes whose packages leave the words to their callers.
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
	return code + ": The command could not be carried out."
}

// unreachableBecause puts the reason in the place of the general advice, which the database and the
// migrations share.
func unreachableBecause(err error, text string) string {
	general := database.ErrUnreachable.Error()
	if _, combined := err.(causedError); combined || !strings.HasPrefix(text, general) {
		return text // a combined error's parts have had their turn
	}
	why := database.WhyOf(err)
	return database.ErrUnreachable.Code() + ": The database did not accept a session (" + string(why) + "). " +
		why.Sentence() +
		strings.TrimPrefix(text, general)
}

// causedError prints two codes on one line: what failed, and why.
type causedError struct {
	failure Coded
	cause   error
}

func (e causedError) Error() string {
	return strings.Join(append([]string{e.failure.Code()}, failureLines(e.cause)...), ": ")
}

// Code is the failure's own.
func (e causedError) Code() string { return e.failure.Code() }

func (e causedError) Unwrap() []error { return []error{e.failure, e.cause} }
