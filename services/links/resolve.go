package links

import (
	"context"
	"fmt"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// Resolve returns the link whose cookie r has, or nobody. It reads no other cookie. It fails with
// httpapi.ErrPrincipal when the store cannot check.
func (s *Service) Resolve(ctx context.Context, r *http.Request) (principal.Principal, error) {
	hash, possible := s.cookie.hash(r.Header)
	if !possible {
		return principal.Principal{}, nil
	}
	who, err := s.store.holder(ctx, hash)
	if err != nil {
		return principal.Principal{}, fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	return who, nil
}

// Permission returns the one permission of a link, or "" if the link is revoked, ended or unknown by now. It
// fails with httpapi.ErrPrincipal.
func (s *Service) Permission(ctx context.Context, linkID string) (string, error) {
	permission, err := s.store.permission(ctx, linkID)
	if err != nil {
		return "", fmt.Errorf("%w: %w", httpapi.ErrPrincipal, err)
	}
	return permission, nil
}
