package publication

import (
	"context"

	"go.uber.org/zap"
)

// Encode compresses one script after the other until ctx ends. They are served uncompressed meanwhile, so
// that a start does not wait for it.
func (s *Service) Encode(ctx context.Context) {
	for _, r := range s.ordered {
		for _, a := range r.artifacts() {
			if ctx.Err() != nil {
				return
			}
			if err := a.encode(); err != nil {
				s.log.Error("a script could not be compressed and is served as it is",
					zap.String("module", r.manifest.ID))
			}
		}
	}
}
