package operator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/environment"
)

func ModulesValidate(p *cli.Program) *cobra.Command {
	var only string
	var asJSON bool
	command := &cobra.Command{
		Use:   "modules:validate",
		Short: "Check every installed module as a start does, and report what each contributes to others",
		Long: `Reads every manifest and file that a start would read, and composes the permission registry.
Nothing is started and no database is needed. For each browser contribution it shows the
capability, the range and whether a provider is installed. Reads SERVICE_MODULES_DIR.`,
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			settings, err := environment.Load(p.Lookup, environment.ModulesSection)
			if err != nil {
				return err
			}
			return validate(p, settings, only, asJSON)
		},
	}
	command.Flags().StringVar(&only, "module", "", "report this module alone")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// validation is the result of modules:validate.
type validation struct {
	Valid         bool                          `json:"valid"`
	Modules       int                           `json:"modules"`
	Permissions   int                           `json:"permissions"` // Core's and the modules'
	Contributions []platform.ListedContribution `json:"contributions"`
	Findings      []manifest.Finding            `json:"findings"`
	Misspelt      []string                      `json:"misspelt"` // names that are almost another one
}

func validate(p *cli.Program, settings environment.Settings, only string, asJSON bool) error {
	installed, err := platform.InstalledModules(settings)
	if err == nil {
		_, err = platform.ComposeRegistry(installed)
	}
	result := validation{Valid: err == nil, Contributions: []platform.ListedContribution{},
		Findings: []manifest.Finding{}, Misspelt: []string{}}
	if findings := catalog.Findings(nil); errors.As(err, &findings) {
		if only != "" {
			findings = slices.DeleteFunc(findings, func(f manifest.Finding) bool { return f.Module != only })
			switch {
			case len(findings) > 0:
				err = findings
			case !hasFolder(settings.Modules.Dir, only):
				return cli.ErrNotInstalled
			default:
				err = nil
			}
		}
		result.Findings = findings
	}
	if installed != nil {
		if _, found := installed.Module(only); only != "" && !found {
			return cli.ErrNotInstalled
		}
		result.Modules, result.Permissions = len(installed.Modules), len(installed.Permissions)
		result.Contributions = platform.ListContributions(installed, only)
		result.Misspelt = append(result.Misspelt, platform.Misspelt(installed, only)...)
	}
	if asJSON {
		return errors.Join(err, p.PrintJSON(result))
	}
	if err == nil {
		printValidation(p, result, only)
	}
	return err
}

// hasFolder reports whether a module is installed, for when findings about other modules left no catalog. Its
// folder counts as the module if no finding is about it.
func hasFolder(dir, id string) bool {
	if !manifest.ValidID(id) {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, id))
	return err == nil && info.IsDir()
}

// countOf formats a number with its noun, in singular or plural.
func countOf(number int, thing string) string {
	if number == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", number, thing)
}

func printValidation(p *cli.Program, result validation, only string) {
	switch {
	case only != "":
		fmt.Fprintf(p.Stdout, "%s is valid.\n", only)
	case result.Modules == 0:
		fmt.Fprintln(p.Stdout, "No module is installed.")
	default:
		fmt.Fprintf(p.Stdout, "Valid: %s, %s.\n", countOf(result.Modules, "module"),
			countOf(result.Permissions, "permission"))
	}
	for _, sentence := range result.Misspelt {
		fmt.Fprintln(p.Stdout, sentence)
	}
	if len(result.Contributions) == 0 {
		return
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
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
