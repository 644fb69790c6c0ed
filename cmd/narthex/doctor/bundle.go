package doctor

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
)

// bundle is the information that somebody outside needs to help. It contains no values of the environment, no
// addresses and paths, and nothing about people.
type bundle struct {
	MadeAt   time.Time `json:"madeAt"`
	Platform string    `json:"platform"`
	Go       string    `json:"go"`
	System   string    `json:"system"`
	CPUs     int       `json:"cpus"`
	// Set are the names of the variables that are set, except those of modules' secrets.
	Set        []string           `json:"set"`
	Doctor     *Examination       `json:"doctor"`
	Migrations *migrations.Report `json:"migrations"` // null: the database cannot be read
	// Process is the metrics of the running platform, if SERVICE_METRICS_ADDRESS is set.
	Process []string `json:"process"`
}

// SupportBundle writes the information with which somebody outside can find a fault.
func SupportBundle(p *cli.Program) *cobra.Command {
	var to string
	command := &cobra.Command{
		Use:   "support:bundle",
		Short: "Write what helps somebody else to find a fault, without personal data",
		Long: `Writes one JSON file: versions, what doctor finds, the state of every module, the applied migrations,
the names of the variables that are set, and the figures of the running platform if it has
SERVICE_METRICS_ADDRESS. It holds no value of a variable, no address, no path and nothing of a person;
read it before you send it. A file that exists is not overwritten.`,
		Example: "  narthex support:bundle -- --to narthex-support.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return cli.UsageError("--to is required; see: narthex support:bundle --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := cli.IntoNewFile(to, func(file *os.File) error {
				if json.MarshalWrite(file, collect(cmd.Context(), p), jsontext.WithIndent("  ")) != nil {
					return cli.ErrNotWritten
				}
				return nil
			})
			if err == nil {
				fmt.Fprintln(p.Stdout, "Written. Read it before you send it.")
			}
			return err
		},
	}
	command.Flags().StringVar(&to, "to", "", "the file to write (required)")
	return command
}

func collect(ctx context.Context, p *cli.Program) bundle {
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	b := bundle{
		MadeAt: time.Now().UTC(), Platform: abi.PlatformVersion, Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Set: []string{}, Process: []string{},
	}
	for _, variable := range environment.Variables() {
		if value, set := p.Lookup(variable.Name); set && strings.TrimSpace(value) != "" {
			b.Set = append(b.Set, variable.Name)
		}
	}
	b.Doctor = examine(ctx, p)
	b.Migrations = b.Doctor.migrations(ctx)
	if address := b.Doctor.Settings.Metrics; address.Network != "" {
		b.Process = figures(ctx, address)
	}
	return b
}

// migrations returns nil if the database cannot be read.
func (e *Examination) migrations(ctx context.Context) *migrations.Report {
	if e.Sound&environment.DatabaseSection == 0 || e.Installed == nil {
		return nil
	}
	db, err := database.Open(e.Settings.Database)
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	report, err := migrations.Status(ctx, db.Pool(), platform.MigrationLines(e.Installed))
	if err != nil {
		return nil
	}
	return &report
}

// maxFigures is far more than the metrics of a thousand modules.
const maxFigures = 8 << 20

// figures returns the lines of the platform's metrics, which contain no person, host or path.
func figures(ctx context.Context, address environment.Metrics) []string {
	ctx, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, address.Network, address.Address)
		},
		DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/metrics", nil)
	if err != nil {
		return []string{}
	}
	response, err := client.Do(request)
	if err != nil {
		return []string{}
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxFigures))
	if err != nil || response.StatusCode != http.StatusOK {
		return []string{}
	}
	lines := []string{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
