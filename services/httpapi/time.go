package httpapi

import "time"

// timeForm is the one form of a time in answers: UTC, milliseconds (contract.md §1).
const timeForm = "2006-01-02T15:04:05.000Z"

// Time writes t as answers have it; what is finer than a millisecond is cut off.
func Time(t time.Time) string { return t.UTC().Format(timeForm) }
