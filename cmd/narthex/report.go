package main

import (
	"fmt"
	"io"
	"strings"
)

// report prints what went wrong, one line "CODE: sentence" for each failure, never a cause behind it.
func report(w io.Writer, err error) {
	lines := failureLines(err)
	if len(lines) == 0 {
		lines = []string{"INTERNAL_ERROR: Something unexpected failed; nothing more is known outside the program."}
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// failureLines finds the coded errors of a tree of errors, in order. What a coded error wraps is its own business.
func failureLines(err error) []string {
	switch e := err.(type) {
	case nil:
		return nil
	case interface{ Code() string }:
		return strings.Split(sentence(err, e.Code()), "\n")
	case interface{ Unwrap() []error }:
		var lines []string
		for _, inner := range e.Unwrap() {
			lines = append(lines, failureLines(inner)...)
		}
		return lines
	case interface{ Unwrap() error }:
		return failureLines(e.Unwrap())
	}
	return nil
}

// sentence adds one to the codes whose packages leave the words to their callers.
func sentence(err error, code string) string {
	if text := err.Error(); strings.Contains(text, ": ") {
		return text
	}
	switch code {
	case "STORE_UNAVAILABLE":
		return code + ": The database did not answer; check DATABASE_URL and whether the server runs."
	}
	return code + ": The command could not be carried out."
}

// causedError prints two codes on one line: what failed, and why.
type causedError struct {
	failure interface {
		error
		Code() string
	}
	cause error
}

func (e causedError) Error() string {
	return strings.Join(append([]string{e.failure.Code()}, failureLines(e.cause)...), ": ")
}

// Code is the failure's own.
func (e causedError) Code() string { return e.failure.Code() }

func (e causedError) Unwrap() []error { return []error{e.failure, e.cause} }
