package authorization

import "github.com/narthex-platform/narthex/services/principal"

// Holdings is what a principal has according to the stores. The zero value means nothing.
type Holdings struct {
	Owner   bool
	Granted map[string]struct{} // permission ids, effective now
}

// Evaluate is the platform's only permission decision. It is pure and denies unless a rule allows: an
// undeclared permission is denied to the owner too, and a device or a link is allowed only what it was
// granted, whatever the baseline.
func Evaluate(kind principal.Kind, baseline Baseline, permission string, held Holdings) bool {
	if baseline == Undeclared {
		return false
	}
	_, granted := held.Granted[permission]
	switch kind {
	case principal.Human:
		return baseline == Authenticated || held.Owner || granted
	case principal.Device, principal.Link:
		return granted
	}
	return false
}

// dependsOnHoldings is false where Evaluate returns the same result for all Holdings.
func dependsOnHoldings(kind principal.Kind, baseline Baseline) bool {
	switch kind {
	case principal.Human:
		return baseline == Restricted
	case principal.Device, principal.Link:
		return baseline != Undeclared
	}
	return false
}

func setOf(permissions []string) map[string]struct{} {
	set := make(map[string]struct{}, len(permissions))
	for _, permission := range permissions {
		set[permission] = struct{}{}
	}
	return set
}
