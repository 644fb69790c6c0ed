package authorization

import (
	"strings"

	"github.com/narthex-platform/narthex/services/principal"
)

// Holdings is what a principal has according to the stores. The zero value means nothing.
type Holdings struct {
	Owner   bool
	Granted map[string]struct{} // permission ids, effective now

	// LacksFactor: the house asks its administrators for a second factor, and the person has none.
	LacksFactor bool
}

// Decision is the result of Evaluate. The zero value denies.
type Decision uint8

// The decisions.
const (
	Denied        Decision = iota
	FactorMissing          // it would be allowed to the person with a second factor
	Allowed
)

// Evaluate is the platform's only permission decision. It is pure and denies unless a rule allows: an
// undeclared permission is denied to the owner too, and a device or a link is allowed only what it was
// granted, whatever the baseline.
func Evaluate(kind principal.Kind, baseline Baseline, permission string, held Holdings) Decision {
	if baseline == Undeclared {
		return Denied
	}
	_, granted := held.Granted[permission]
	switch {
	case kind == principal.Human && baseline == Authenticated:
		return Allowed
	case kind == principal.Human && (held.Owner || granted):
		if held.LacksFactor && strings.HasPrefix(permission, ofPlatform) {
			return FactorMissing
		}
		return Allowed
	case (kind == principal.Device || kind == principal.Link) && granted:
		return Allowed
	}
	return Denied
}

// ofPlatform begins the platform's own permissions, and no module's (modulehost/manifest).
const ofPlatform = "core."

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
