package conformance

import (
	"context"
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// unknownPerson is an id that no person has.
const unknownPerson = "00000000-0000-4000-8000-000000000000"

func checkPeople(ctx context.Context, t *trial) outcome {
	p := t.live.process
	if !p.PersonErased() && !p.PersonExport() {
		return notApplicable("the module keeps nothing of people")
	}
	for n := 1; p.PersonErased() && n <= 2; n++ {
		if err := p.ErasePerson(ctx, unknownPerson); err != nil {
			return withAction(fmt.Sprintf("PersonErased, time %d", n), failed("%s", callWords(err)))
		}
	}
	if p.PersonExport() {
		if _, err := p.ExportPerson(ctx, unknownPerson); err != nil {
			return withAction("PersonExport", failed("%s", callWords(err)))
		}
	}
	return passed("answered")
}

// callWords returns the host's code of a failed call, and its reason if known.
func callWords(err error) string {
	words := err.Error()
	for _, code := range []error{process.ErrHandlerFailed, process.ErrUnavailable} {
		if words == code.Error() {
			return words + " (the process may have ended)"
		}
	}
	return words
}
