package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/enablement"
	"github.com/narthex-platform/narthex/services/environment"
)

// resolutionSections is what decides which modules run.
const resolutionSections = environment.DatabaseSection | environment.ModulesSection | environment.HostSection

func (p *program) modulesList() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "modules:list",
		Short: "Show every installed module, what was decided about it, and what the next start would make of it",
		Long: `Lists the installed modules with their version, the stored decision, and what the next start of the platform
would make of each and why. Reads DATABASE_URL, SERVICE_DATABASE_*, SERVICE_MODULES_DIR, NODE_ENV and what modules are
offered: OBJECT_STORAGE_*, SERVICE_SMTP_* and SERVICE_MODULE_SECRET__*.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, installed, err := p.discover(resolutionSections)
			if err != nil {
				return err
			}
			return withDatabase(cmd.Context(), settings.Database, nil, func(db *database.Database) error {
				modules, err := listModules(cmd.Context(), newResolver(installed, db, settings, secrets{p.lookup}))
				if err != nil {
					return err
				}
				return p.printModules(modules, asJSON)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// discover reads what a command needs of the environment, and every installed module. What is wrong with either is reported together.
func (p *program) discover(sections environment.Section) (environment.Settings, *catalog.Catalog, error) {
	settings, err := environment.Load(p.lookup, sections)
	if err != nil {
		return settings, nil, errors.Join(err, p.moduleFindings())
	}
	installed, err := installedModules(settings)
	return settings, installed, err
}

// moduleFindings is what a start would find wrong with the installed modules, for a start that fails before it looks at them. A modules
// directory that the environment names wrongly is among the environment's own findings.
func (p *program) moduleFindings() error {
	settings, err := environment.Load(p.lookup, environment.ModulesSection)
	if err != nil {
		return nil
	}
	installed, err := installedModules(settings)
	if err == nil {
		_, err = composeRegistry(installed)
	}
	return err
}

// listedModule is one line of modules:list. The words are those of the lifecycle routes.
type listedModule struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Version    string        `json:"version"`
	Configured decision      `json:"configured"`
	Next       listedOutcome `json:"next"` // what the next start would make of it
	because    string        // why not, for people
}

type decision struct {
	Enabled  bool `json:"enabled"`
	Explicit bool `json:"explicit"`
}

type listedOutcome struct {
	State            catalog.RuntimeState `json:"state"`
	Reason           catalog.Reason       `json:"reason,omitempty"`
	Dependency       *listedDependency    `json:"dependency,omitempty"`
	ConfigurationKey string               `json:"configurationKey,omitempty"`
	StorageBucketID  string               `json:"storageBucketId,omitempty"`
}

type listedDependency struct {
	Kind       manifest.Kind `json:"kind"`
	ModuleID   string        `json:"moduleId"`
	Capability string        `json:"capability,omitempty"`
}

func listModules(ctx context.Context, r *resolver) ([]listedModule, error) {
	found, err := r.resolve(ctx)
	if err != nil {
		return nil, err
	}
	modules := make([]listedModule, len(r.catalog.Modules))
	for i, m := range r.catalog.Modules {
		modules[i] = listModule(m, found.decisions, found.next.Outcome(m.Manifest.ID))
	}
	return modules, nil
}

func listModule(m *catalog.Module, decisions enablement.Decisions, outcome catalog.Outcome) listedModule {
	next := listedOutcome{
		State: outcome.State, Reason: outcome.Reason,
		ConfigurationKey: outcome.ConfigurationKey, StorageBucketID: outcome.StorageBucketID,
	}
	if edge := outcome.Dependency; edge != nil {
		next.Dependency = &listedDependency{Kind: edge.Kind, ModuleID: edge.Provider}
		if edge.Kind == manifest.KindCapability {
			next.Dependency.Capability = edge.ID
		}
	}
	id := m.Manifest.ID
	return listedModule{
		ID: id, Name: m.Manifest.Name, Version: m.Manifest.Version.String(),
		Configured: decision{Enabled: decisions.Enabled(id), Explicit: decisions.Explicit(id)},
		Next:       next,
		because:    because(id, outcome),
	}
}

// because says in plain words why a module is blocked; "" when it is not.
func because(moduleID string, o catalog.Outcome) string {
	switch o.Reason {
	case catalog.ReasonDependencyDisabled:
		return "needs " + needed(o.Dependency) + ", which is disabled"
	case catalog.ReasonDependencyBlocked:
		return "needs " + needed(o.Dependency) + ", which is blocked"
	case catalog.ReasonConfigurationMissing:
		return "the configuration key " + o.ConfigurationKey + " has no value yet"
	case catalog.ReasonConfigurationInvalid:
		return "the stored value of the configuration key " + o.ConfigurationKey + " is not one that this version allows"
	case catalog.ReasonSecretMissing:
		return "the deployment must supply " + manifest.SecretVariable(moduleID, o.ConfigurationKey)
	case catalog.ReasonStorageUnavailable:
		return "keeps files (" + o.StorageBucketID + ") and no object storage is configured; set OBJECT_STORAGE_ENDPOINT"
	}
	return ""
}

func needed(edge *catalog.Edge) string {
	if edge.Kind == manifest.KindCapability {
		return edge.ID + " of " + edge.Provider
	}
	return edge.Provider
}

func (p *program) printModules(modules []listedModule, asJSON bool) error {
	if asJSON {
		return p.printJSON(map[string]any{"modules": modules})
	}
	if len(modules) == 0 {
		fmt.Fprintln(p.stdout, "No module is installed.")
		return nil
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "MODULE\tVERSION\tDECISION\tAT THE NEXT START")
	for _, m := range modules {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.ID, m.Version, m.Configured, m.outcome())
	}
	return table.Flush()
}

func (d decision) String() string {
	switch {
	case !d.Explicit:
		return "none (enabled)"
	case d.Enabled:
		return "enabled"
	}
	return "disabled"
}

func (m listedModule) outcome() string {
	switch m.Next.State {
	case catalog.Running:
		return "runs"
	case catalog.Disabled:
		return "disabled"
	}
	return "blocked: " + m.because
}

// printJSON writes one line.
func (p *program) printJSON(value any) error {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, string(text))
	return err
}
