package authorization_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	const asked = "announcements.slides.manage"
	granted := authorization.Holdings{Granted: map[string]struct{}{asked: {}}}
	other := authorization.Holdings{
		Granted: map[string]struct{}{"announcements.slides": {}, asked + ".all": {}},
	}
	owner := authorization.Holdings{Owner: true}
	everything := authorization.Holdings{Owner: true, Granted: granted.Granted}
	nothing := authorization.Holdings{}
	lacking := authorization.Holdings{Granted: granted.Granted, LacksFactor: true}

	rows := []struct {
		name     string
		kind     principal.Kind
		baseline authorization.Baseline
		held     authorization.Holdings
		want     authorization.Decision
	}{
		{"anonymous, restricted", principal.Anonymous, authorization.Restricted, nothing, authorization.Denied},
		{"anonymous, authenticated", principal.Anonymous, authorization.Authenticated,
			nothing, authorization.Denied},
		{
			"anonymous with facts that are not its own",
			principal.Anonymous,
			authorization.Restricted,
			everything,
			authorization.Denied,
		},
		{"person, authenticated", principal.Human, authorization.Authenticated, nothing, authorization.Allowed},
		{"person, restricted", principal.Human, authorization.Restricted, nothing, authorization.Denied},
		{"person, restricted, granted", principal.Human, authorization.Restricted, granted, authorization.Allowed},
		{"person, restricted, similar ids granted", principal.Human, authorization.Restricted,
			other, authorization.Denied},
		{"owner, restricted", principal.Human, authorization.Restricted, owner, authorization.Allowed},
		{"owner, undeclared", principal.Human, authorization.Undeclared, everything, authorization.Denied},
		{"person, undeclared although granted", principal.Human, authorization.Undeclared,
			granted, authorization.Denied},
		{"device, authenticated", principal.Device, authorization.Authenticated, nothing, authorization.Denied},
		{"device, authenticated, granted", principal.Device, authorization.Authenticated,
			granted, authorization.Allowed},
		{"device, restricted", principal.Device, authorization.Restricted, nothing, authorization.Denied},
		{"device, restricted, granted", principal.Device, authorization.Restricted, granted, authorization.Allowed},
		{"device has no owner path", principal.Device, authorization.Restricted, owner, authorization.Denied},
		{"device, undeclared although granted", principal.Device, authorization.Undeclared,
			granted, authorization.Denied},
		{"link, authenticated", principal.Link, authorization.Authenticated, nothing, authorization.Denied},
		{"link, restricted", principal.Link, authorization.Restricted, nothing, authorization.Denied},
		{"link, restricted, granted", principal.Link, authorization.Restricted, granted, authorization.Allowed},
		{"link, restricted, similar ids granted", principal.Link, authorization.Restricted,
			other, authorization.Denied},
		{"link has no owner path", principal.Link, authorization.Restricted, owner, authorization.Denied},
		{"link, undeclared although granted", principal.Link, authorization.Undeclared,
			granted, authorization.Denied},
		{"person, restricted, of a module, without a second factor", principal.Human, authorization.Restricted,
			lacking, authorization.Allowed},
		{"a kind nobody knows", principal.Kind(9), authorization.Authenticated, everything, authorization.Denied},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := authorization.Evaluate(row.kind, row.baseline, asked, row.held); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

// TestEvaluateSecondFactor: a house that asks its administrators for a second factor keeps the platform's own
// restricted permissions from those who hold them and have none, the owner included, and from nobody else.
func TestEvaluateSecondFactor(t *testing.T) {
	t.Parallel()
	const asked = "core.house.manage"
	granted := map[string]struct{}{asked: {}}
	for _, row := range []struct {
		name     string
		kind     principal.Kind
		baseline authorization.Baseline
		held     authorization.Holdings
		want     authorization.Decision
	}{
		{"owner", principal.Human, authorization.Restricted,
			authorization.Holdings{Owner: true, LacksFactor: true}, authorization.FactorMissing},
		{"granted", principal.Human, authorization.Restricted,
			authorization.Holdings{Granted: granted, LacksFactor: true}, authorization.FactorMissing},
		{"not granted", principal.Human, authorization.Restricted,
			authorization.Holdings{LacksFactor: true}, authorization.Denied},
		{"authenticated", principal.Human, authorization.Authenticated,
			authorization.Holdings{Owner: true, LacksFactor: true}, authorization.Allowed},
		{"undeclared", principal.Human, authorization.Undeclared,
			authorization.Holdings{Owner: true, LacksFactor: true}, authorization.Denied},
		{"with a second factor", principal.Human, authorization.Restricted,
			authorization.Holdings{Owner: true}, authorization.Allowed},
	} {
		if got := authorization.Evaluate(row.kind, row.baseline, asked, row.held); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}
