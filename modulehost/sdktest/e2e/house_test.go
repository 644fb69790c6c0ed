package e2e_test

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestHouse: a module gets the house as it is at each call. Without a zone, and with one that its own table
// lacks, its clock is UTC.
func TestHouse(t *testing.T) {
	t.Parallel()
	var current facade.House
	m := &module{}
	serveWith(t, m, facade.Config{ModuleID: "keeper", House: func() facade.House { return current }}).started()
	for _, c := range []struct {
		given facade.House
		want  sdk.House
		zone  string
	}{
		{facade.House{}, sdk.House{}, "UTC"},
		{facade.House{Name: "St. Mary", Language: "de", TimeZone: "Pacific/Apia", Rev: 7},
			sdk.House{Name: "St. Mary", Language: "de", TimeZone: "Pacific/Apia", Rev: 7}, "Pacific/Apia"},
		{facade.House{Language: "en", TimeZone: "Europe/Nowhere"}, sdk.House{Language: "en"}, "UTC"},
	} {
		current = c.given
		got, err := m.host.House(t.Context())
		if err != nil || got.Zone.String() != c.zone {
			t.Fatalf("House of %+v: %+v, error %v, want the clock of %s", c.given, got, err, c.zone)
		}
		got.Zone = nil
		if got != c.want {
			t.Errorf("House of %+v: %+v, want %+v", c.given, got, c.want)
		}
	}
}

// TestHouseOfAFacadeWithout: a facade without a house answers with one for which nothing was set.
func TestHouseOfAFacadeWithout(t *testing.T) {
	t.Parallel()
	m := &module{}
	serveWith(t, m, facade.Config{ModuleID: "keeper"}).started()
	if got, err := m.host.House(t.Context()); err != nil || got.TimeZone != "" || got.Zone.String() != "UTC" {
		t.Errorf("House: %+v, error %v, want UTC", got, err)
	}
}
