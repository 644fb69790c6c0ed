package platform

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/people"
)

// names returns the names of people to modules that ask for them. See facade.People.
type names struct{ store *people.Store }

// Names omits ids that are not UUIDs: no person has them.
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

// Callable returns the modules that can be notified of an erasure: those whose process is ready, and those
// without a process. See people.Modules.
func (s *Server) Callable() (moduleIDs []string) {
	for _, module := range s.modules {
		if module.process == nil || module.process.Status().State == process.Ready {
			moduleIDs = append(moduleIDs, module.Manifest.ID)
		}
	}
	return moduleIDs
}

// Forget notifies a module of a person's erasure, if it registered for that. See people.Modules.
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

// Exporting returns the modules that export what they keep about people. See people.Exporters.
func (s *Server) Exporting() (moduleIDs []string) {
	for _, module := range s.modules {
		if module.process != nil && module.process.PersonExport() {
			moduleIDs = append(moduleIDs, module.Manifest.ID)
		}
	}
	return moduleIDs
}

// Export returns what a module keeps about a person. See people.Exporters.
func (s *Server) Export(ctx context.Context, moduleID, userID string) (part jsontext.Value, err error) {
	for _, module := range s.modules {
		if module.Manifest.ID == moduleID && module.process != nil {
			return module.process.ExportPerson(ctx, userID)
		}
	}
	return nil, process.ErrUnavailable
}
