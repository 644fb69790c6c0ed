package process_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestExportDeadline: all pieces of an export together have ten seconds, not each piece.
func TestExportDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		slow := func(ctx context.Context, _ abi.Method, _, response proto.Message) error {
			calls++
			piece := response.(*abi.PersonExportResponse)
			piece.Data, piece.Export = []byte(" "), 1 // there is more
			select {
			case <-time.After(4 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		began := time.Now()
		_, err := process.ReadExport(t.Context(), slow, "somebody")
		took := time.Since(began)
		if !errors.Is(err, context.DeadlineExceeded) || took != abi.ExportWithin || calls != 3 {
			t.Errorf("an export in pieces of 4 s ended after %v and %d calls with %v, want %v, 3 calls, %v",
				took, calls, err, abi.ExportWithin, context.DeadlineExceeded)
		}
	})
}

// TestEmptyExportPieceFails: an export whose pieces are empty ends with the first one, as the module's
// failure.
func TestEmptyExportPieceFails(t *testing.T) {
	t.Parallel()
	calls := 0
	empty := func(_ context.Context, _ abi.Method, _, response proto.Message) error {
		if calls++; calls > 1 {
			return errors.New("asked again")
		}
		response.(*abi.PersonExportResponse).Export = 1
		return nil
	}
	_, err := process.ReadExport(t.Context(), empty, "somebody")
	if !errors.Is(err, process.ErrHandlerFailed) || calls != 1 {
		t.Errorf("an export in empty pieces ended after %d calls with %v, want one call and %v",
			calls, err, process.ErrHandlerFailed)
	}
}

// TestLongExport: all pieces together have at most 8 MiB, and are one JSON document.
func TestLongExport(t *testing.T) {
	t.Parallel()
	longest := `"` + strings.Repeat("x", abi.MaxExport-2) + `"`
	for what, c := range map[string]struct {
		document string
		want     error
	}{
		"the longest":     {longest, nil},
		"a byte too long": {longest + " ", process.ErrHandlerFailed},
		"no JSON":         {"{", process.ErrHandlerFailed},
	} {
		rest := c.document
		pieces := func(_ context.Context, _ abi.Method, _, response proto.Message) error {
			piece := response.(*abi.PersonExportResponse)
			n := min(len(rest), abi.MaxExportPiece)
			piece.Data, rest = []byte(rest[:n]), rest[n:]
			if rest != "" {
				piece.Export = 1
			}
			return nil
		}
		document, err := process.ReadExport(t.Context(), pieces, "somebody")
		if !errors.Is(err, c.want) || err == nil && string(document) != c.document {
			t.Errorf("%s: %d bytes, error %v; want %v", what, len(document), err, c.want)
		}
	}
}
