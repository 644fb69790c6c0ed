package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/feeds"
	"github.com/narthex-platform/narthex/services/links"
)

// almostFull is the part of the links of a module from which doctor warns.
const almostFull = 0.9

// links says how much is open to people and programs that do not sign in. It knows no address: only hashes
// are stored.
func (e *Examination) links(ctx context.Context, db *database.Database) {
	guests := links.NewStore(db.Pool())
	live, err := guests.Live(ctx)
	if err != nil {
		e.blockAll(err)
		return
	}
	addresses, err := feeds.NewStore(db.Pool(), guests).Live(ctx)
	if err != nil {
		e.blockAll(err)
		return
	}
	own, house, ofHouse := 0, 0, make(map[string]int)
	for _, a := range addresses {
		own, house = own+a.Own, house+a.House
		ofHouse[a.ModuleID] = a.House
	}
	var counts []string
	for _, l := range live {
		if count := l.Count - ofHouse[l.ModuleID]; count > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", l.ModuleID, count))
		}
		if float64(l.Count) >= almostFull*links.MaxLive {
			e.warn("LINKS_ALMOST_FULL", fmt.Sprintf("The module %s has %d links that work, of at most %d; beyond "+
				"that it makes none. End those that nobody needs.", l.ModuleID, l.Count, links.MaxLive))
		}
	}
	if len(counts) == 0 {
		counts = []string{"none"}
	}
	e.ok("Links for guests that work: %s. Addresses for programs that work: %d of people, %d of the house.",
		strings.Join(counts, ", "), own, house)
}
