package platform

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/people"
)

// names are those of all people, for modules that ask for them. See facade.People.
type names struct{ store *people.Store }

// Names leaves out ids that are no UUIDs: they name nobody.
func (n names) Names(ctx context.Context, userIDs []string) (map[string]string, error) {
	var known []string
	for _, id := range userIDs {
		if parsed, err := uuid.Parse(id); err == nil && parsed.String() == id {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	return n.store.Names(ctx, known)
}

// Callable are the modules that can be told to forget somebody: those whose process is ready, and those
// without one. See people.Modules.
func (s *Server) Callable() (moduleIDs []string) {
	for _, module := range s.modules {
		if module.process == nil || module.process.Status().State == process.Ready {
			moduleIDs = append(moduleIDs, module.Manifest.ID)
		}
	}
	return moduleIDs
}

// Forget tells a module to forget a person, if it asked for that. See people.Modules.
func (s *Server) Forget(ctx context.Context, moduleID, userID string) error {
	for _, module := range s.modules {
		if module.Manifest.ID != moduleID {
			continue
		}
		if module.process == nil || !module.process.PersonErased() {
			return nil
		}
		return module.process.ErasePerson(ctx, userID)
	}
	return process.ErrUnavailable
}

// Exporting are the modules that export what they keep of people. See people.Exporters.
func (s *Server) Exporting() (moduleIDs []string) {
	for _, module := range s.modules {
		if module.process != nil && module.process.PersonExport() {
			moduleIDs = append(moduleIDs, module.Manifest.ID)
		}
	}
	return moduleIDs
}

// Export returns what a module keeps of a person. See people.Exporters.
func (s *Server) Export(
	ctx context.Context, moduleID, userID string,
) (part jsontext.Value, release func(), err error) {
	for _, module := range s.modules {
		if module.Manifest.ID == moduleID && module.process != nil {
			return module.process.ExportPerson(ctx, userID)
		}
	}
	return nil, nil, process.ErrUnavailable
}
