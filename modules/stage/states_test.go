package main

import (
	"errors"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestStatesOfTooMany: another module asks for at most a hundred services at once.
func TestStatesOfTooMany(t *testing.T) {
	many := statesRequest{IDs: make([]string, maxUpcoming+1)}
	if _, err := new(stage).states(t.Context(), many); !errors.Is(err, sdk.ErrRequestInvalid) {
		t.Errorf("states of %d services: error %v, want %v", maxUpcoming+1, err, sdk.ErrRequestInvalid)
	}
}
