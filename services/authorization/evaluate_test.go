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

	rows := []struct {
		name     string
		kind     principal.Kind
		baseline authorization.Baseline
		held     authorization.Holdings
		want     bool
	}{
		{"anonymous, restricted", principal.Anonymous, authorization.Restricted, nothing, false},
		{"anonymous, authenticated", principal.Anonymous, authorization.Authenticated, nothing, false},
		{
			"anonymous with facts that are not its own",
			principal.Anonymous,
			authorization.Restricted,
			everything,
			false,
		},
		{"person, authenticated", principal.Human, authorization.Authenticated, nothing, true},
		{"person, restricted", principal.Human, authorization.Restricted, nothing, false},
		{"person, restricted, granted", principal.Human, authorization.Restricted, granted, true},
		{"person, restricted, similar ids granted", principal.Human, authorization.Restricted, other, false},
		{"owner, restricted", principal.Human, authorization.Restricted, owner, true},
		{"owner, undeclared", principal.Human, authorization.Undeclared, everything, false},
		{"person, undeclared although granted", principal.Human, authorization.Undeclared, granted, false},
		{"device, authenticated", principal.Device, authorization.Authenticated, nothing, false},
		{"device, authenticated, granted", principal.Device, authorization.Authenticated, granted, true},
		{"device, restricted", principal.Device, authorization.Restricted, nothing, false},
		{"device, restricted, granted", principal.Device, authorization.Restricted, granted, true},
		{"device has no owner path", principal.Device, authorization.Restricted, owner, false},
		{"device, undeclared although granted", principal.Device, authorization.Undeclared, granted, false},
		{"a kind nobody knows", principal.Kind(9), authorization.Authenticated, everything, false},
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
