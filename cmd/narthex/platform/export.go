package platform

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/people"
)

// ExportPerson starts the modules that a start would run, without a listener. It has Core and the modules
// export what they keep about a person, passes that to use, and stops the modules.
func (s *Server) ExportPerson(ctx context.Context, userID string, use func(people.Export) error) error {
	if err := s.run(ctx, s.stepsToModules()); err != nil {
		return err
	}
	made, err := people.MakeExport(ctx, people.NewStore(s.database.Pool()), s, chain.Operator(), userID)
	if err == nil {
		err = use(made)
	}
	return errors.Join(err, s.stop(s.tree.Stop))
}
