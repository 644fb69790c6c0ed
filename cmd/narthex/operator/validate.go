package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/environment"
)

func (p *program) modulesValidate() *cobra.Command {
	var only string
	var asJSON bool
	command := &cobra.Command{
		Use:   "modules:validate",
		Short: "Check every installed module as a start does, and report what each contributes to others",
		Long: `Reads every manifest and file that a start would read, and composes the permission registry. Nothing is started and
no database is needed. For each browser contribution it shows the capability, the range and whether a provider is installed.
Reads SERVICE_MODULES_DIR.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			settings, err := environment.Load(p.lookup, environment.ModulesSection)
			if err != nil {
				return err
			}
			return p.validate(settings, only, asJSON)
		},
	}
	command.Flags().StringVar(&only, "module", "", "report this module alone")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// installedModules is discovery as every command and the start itself do it.
func installedModules(settings environment.Settings) (*catalog.Catalog, error) {
	return catalog.Discover(settings.Modules.Dir, settings.Modules.Explicit, abi.PlatformVersion)
}

// validation is what modules:validate reports.
type validation struct {
	Valid         bool                 `json:"valid"`
	Modules       int                  `json:"modules"`
	Permissions   int                  `json:"permissions"` // Core's and the modules'
	Contributions []listedContribution `json:"contributions"`
	Findings      []manifest.Finding   `json:"findings"`
}

// listedContribution is one browser contribution and who would take it.
type listedContribution struct {
	ModuleID   string  `json:"moduleId"`
	ID         string  `json:"id"`
	Version    string  `json:"version"`
	Capability string  `json:"capability"`
	Range      string  `json:"range"`
	Provider   *string `json:"provider"` // the module whose capability is in the range; null: none installed
}

func (p *program) validate(settings environment.Settings, only string, asJSON bool) error {
	installed, err := installedModules(settings)
	if err == nil {
		_, err = composeRegistry(installed)
	}
	result := validation{Valid: err == nil, Contributions: []listedContribution{}, Findings: []manifest.Finding{}}
	if findings := catalog.Findings(nil); errors.As(err, &findings) {
		if only != "" {
			findings = slices.DeleteFunc(findings, func(f manifest.Finding) bool { return f.Module != only })
			switch {
			case len(findings) > 0:
				err = findings
			case !hasFolder(settings.Modules.Dir, only):
				return errNotInstalled
			default:
				err = nil
			}
		}
		result.Findings = findings
	}
	if installed != nil {
		if _, found := installed.Module(only); only != "" && !found {
			return errNotInstalled
		}
		result.Modules, result.Permissions = len(installed.Modules), len(installed.Permissions)
		result.Contributions = listContributions(installed, only)
	}
	if asJSON {
		return errors.Join(err, p.printJSON(result))
	}
	if err == nil {
		p.printValidation(result, only)
	}
	return err
}

// hasFolder tells whether a module is installed where findings about others left no catalog to ask. A folder without a finding of its own
// is a module of that name.
func hasFolder(dir, id string) bool {
	if !manifest.ValidID(id) {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, id))
	return err == nil && info.IsDir()
}

// listContributions answers those of one module, or of all.
func listContributions(installed *catalog.Catalog, only string) []listedContribution {
	list := []listedContribution{}
	for _, m := range installed.Modules {
		if only != "" && m.Manifest.ID != only {
			continue
		}
		for _, c := range m.Manifest.Contributions {
			listed := listedContribution{
				ModuleID: m.Manifest.ID, ID: c.ID, Version: c.Version.String(), Capability: c.Capability, Range: c.Range.String(),
			}
			if provider, version := installed.Provider(c.Capability); provider != nil && c.Range.Check(version) {
				listed.Provider = &provider.Manifest.ID
			}
			list = append(list, listed)
		}
	}
	return list
}

// counted is a number of things, in words that fit it.
func counted(number int, thing string) string {
	if number == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", number, thing)
}

func (p *program) printValidation(result validation, only string) {
	switch {
	case only != "":
		fmt.Fprintf(p.stdout, "%s is valid.\n", only)
	case result.Modules == 0:
		fmt.Fprintln(p.stdout, "No module is installed.")
	default:
		fmt.Fprintf(p.stdout, "Valid: %s, %s.\n", counted(result.Modules, "module"), counted(result.Permissions, "permission"))
	}
	if len(result.Contributions) == 0 {
		return
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "\nCONTRIBUTION\tVERSION\tCAPABILITY\tRANGE\tPROVIDER")
	for _, c := range result.Contributions {
		provider := "none installed: not published"
		if c.Provider != nil {
			provider = *c.Provider
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", c.ID, c.Version, c.Capability, c.Range, provider)
	}
	_ = table.Flush()
}
