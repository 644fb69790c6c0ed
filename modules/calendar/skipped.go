package main

import (
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// skipped is errSkipped with the two times that exist: as long before the skipped one, and as long after.
type skipped struct{ exist [2]time.Time }

func (skipped) Error() string { return errSkipped.Code() }
func (skipped) Unwrap() error { return errSkipped }

func (s skipped) response() sdk.Response {
	exist := [2]string{s.exist[0].Format(clockForm), s.exist[1].Format(clockForm)}
	return sdk.Response{Status: http.StatusBadRequest, Body: map[string]any{"code": errSkipped.Code(),
		"exist": exist}}
}

// exists refuses a local time that the clock skips in spring. A date of a rule there is moved instead, as
// RFC 5545 says.
func (z zone) exists(local time.Time) error {
	if z.local(z.instant(local)).Equal(local) {
		return nil
	}
	before, after := z.shifted(local, local.Add(day)), z.shifted(local, local.Add(-day))
	return skipped{[2]time.Time{z.local(before), z.local(after)}}
}

// exists refuses typed times that the clock skips.
func (d *draft) exists(z zone) error {
	for _, text := range []string{d.Start, d.End} {
		if local, err := time.Parse(clockForm, text); err == nil {
			if err := z.exists(local); err != nil {
				return err
			}
		}
	}
	return nil
}
