// Package dev owns the commands for developers: a whole installation on this machine, and a new module.
package dev

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/dev/sample"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
)

// DevOwner is the address of a development installation's owner.
const DevOwner = "owner@example.org"

var (
	errNoPort = cli.NewError("LISTEN_FAILED",
		"No free port was found; choose another with --port.")
	errDevData = cli.NewError("DEV_DATA_UNUSABLE",
		"The data folder cannot be used; choose another with --data-dir.")
	errModuleBuild = cli.NewError("MODULE_BUILD_FAILED", "A module could not be built from its sources.")
)

func Dev(p *cli.Program) *cobra.Command {
	var options devOptions
	command := &cobra.Command{
		Use: "dev",
		Short: "Run everything on this machine: a private PostgreSQL, the modules of ./modules, an owner, " +
			"sample data",
		Long: `Runs the platform for development from the checkout's folder: a PostgreSQL of its own, migrated,
an owner whose password is shown once, the modules of ./modules and of --module-dir, and a few samples.
What is saved in a module's folder is built and runs a moment later, and open pages show it; what does
not build or start is shown on the terminal and on the pages, and the version before runs on. Modules find
an object storage in the data folder, mail that is shown in the terminal, and a value for every
secret they declare; the rota of a checkout finds its settings, too. Everything is kept in the data
folder; delete that folder to start again.
After an edit of a migration that was applied, --reset-module drops all tables of that module,
with what is in them, and applies its migrations again. Ctrl-C stops it all.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.advise = func(id string) string { return adviceOnEdits(id, options.dataDir, cmd.Flags()) }
			err := runDev(cmd.Context(), p, options)
			if id := migrations.Edited(err); id != "" {
				return platform.Advised(err, options.advise(id))
			}
			return err
		},
	}
	command.Flags().Uint16Var(&options.port, "port", 3000, "first port to try on this machine")
	command.Flags().StringVar(&options.dataDir, "data-dir", ".dev", "folder for everything that is kept")
	command.Flags().StringVar(&options.resetModule, "reset-module", "",
		"id of a module whose tables are dropped and made again")
	command.Flags().StringArrayVar(&options.moduleDirs, "module-dir", nil,
		"folder of a module, or of modules, to run beside those of ./modules; may be repeated")
	command.Flags().BoolVar(&options.bare, "bare", false,
		"supply no object storage, mail, settings or secrets, to see what modules say without")
	return command
}

// devOptions are the flags of dev.
type devOptions struct {
	port        uint16
	dataDir     string
	resetModule string // "": none
	moduleDirs  []string
	advise      func(moduleID string) string
	bare        bool
}

// adviceOnEdits says what to do after an edit of a migration that was applied, with the flags of this call.
func adviceOnEdits(line, dataDir string, flags *pflag.FlagSet) string {
	if line == migrations.CoreLine {
		return "To start again, delete the data folder: " + dataDir
	}
	command := "narthex-dev dev --reset-module " + line
	flags.Visit(func(flag *pflag.Flag) {
		switch several, ok := flag.Value.(pflag.SliceValue); {
		case ok:
			for _, value := range several.GetSlice() {
				command += fmt.Sprintf(" --%s=%s", flag.Name, value)
			}
		case flag.Name != "reset-module":
			command += fmt.Sprintf(" --%s=%s", flag.Name, flag.Value)
		}
	})
	return "To drop the module's tables, with what is in them, and apply its migrations again: " + command
}

func runDev(ctx context.Context, p *cli.Program, options devOptions) (err error) {
	dataDir, err := filepath.Abs(options.dataDir)
	if err != nil {
		return fmt.Errorf("%w: %w", errDevData, err)
	}
	if err := os.MkdirAll(dataDir, 0o755); err != nil {
		return fmt.Errorf("%w: %w", errDevData, err)
	}
	if err := process.Harden(); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, "Starting PostgreSQL ...")
	postgres, err := cluster.Start(ctx,
		cluster.Options{Dir: filepath.Join(dataDir, "postgresql"), Tools: ".tools"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, postgres.Stop()) }()
	secret, err := loadSecret(filepath.Join(dataDir, "identity-secret"))
	if err != nil {
		return fmt.Errorf("%w: %w", errDevData, err)
	}
	listener, err := listenOn(ctx, options.port)
	if err != nil {
		return err
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	variables := devEnvironment(postgres.URL("postgres"), secret, port)
	lookup, supplies, b := LookupIn(variables), devSupplies{}, &bench{}
	if !options.bare {
		objects, err := devObjectStorage(ctx, variables, port, filepath.Join(dataDir, "objects"))
		if err != nil {
			return err
		}
		defer startObjects(ctx, objects)()
		own := &terminalMail{to: p.Stdout, bench: b}
		lookup, supplies = withDevSecrets(lookup), devSupplies{mail: own, samples: true}
	}
	l, end, err := newLoop(p, listener, filepath.Join(dataDir, "loop"), options, b)
	if err != nil {
		return err
	}
	defer end()
	l.lookup, l.supplies = lookup, supplies
	return serveDev(ctx, l, options.resetModule)
}

// newLoop finds the modules. end writes the rest of the log.
func newLoop(
	p *cli.Program, listener *net.TCPListener, folder string, options devOptions, b *bench,
) (_ *loop, end func(), err error) {
	sources, err := findSources("modules", options.moduleDirs)
	if err != nil {
		return nil, nil, err
	}
	l := &loop{program: p, listener: listener, sources: sources, advise: options.advise}
	if l.workshop, err = newWorkshop(folder, p.Stdout); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errDevData, err)
	}
	l.console, l.log, end = newConsole(p.Stderr)
	errors := newPageErrors(l.console, sources)
	l.pages, l.workshop.built, l.console.bench = newPages(errors, b), errors.keep, b
	return l, end, nil
}

// devSupplies are the services that only a development installation brings along.
type devSupplies struct {
	mail    mail.Sender
	samples bool // whether there is object storage for the samples' picture
}

// startObjects serves the object storage until stop is called.
func startObjects(ctx context.Context, objects *devStorage) (stop func()) {
	serving, end := context.WithCancel(context.WithoutCancel(ctx)) // it must outlive the modules
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = objects.Serve(serving)
	}()
	return func() {
		end()
		<-ended
	}
}

// serveDev does what an operator does with migrations:apply, identity:create-initial-owner and api:start, and
// writes the samples on the first run. If a module is to be reset, that happens first. It serves, and applies
// what is saved, until ctx ends.
func serveDev(ctx context.Context, l *loop, resetModule string) error {
	modulesDir, err := l.makeAll(ctx)
	if err != nil {
		return withCode(err)
	}
	settings, err := l.settings(modulesDir)
	if err != nil {
		return err
	}
	installed, err := platform.InstalledModules(settings)
	if err != nil {
		return err
	}
	if err := resetDev(ctx, settings.Database, installed, resetModule); err != nil {
		return err
	}
	if _, err := platform.ApplyMigrations(ctx, settings, installed); err != nil {
		return err
	}
	password, err := firstOwner(ctx, l.program, settings.Database)
	if err != nil {
		return err
	}
	if l.supplies.samples {
		if err := configureSamples(ctx, settings, installed); err != nil {
			return err
		}
	}
	gallery, err := startGallery(ctx)
	if err != nil {
		return err
	}
	defer gallery.stop()
	if l.current, err = l.startGeneration(ctx, modulesDir); err != nil {
		return err
	}
	address := string(settings.Identity.BaseURL)
	if password != "" && l.supplies.samples {
		if err := sample.Fill(ctx, address, sample.Owner{Email: DevOwner, Password: password}); err != nil {
			fmt.Fprintf(l.program.Stdout, "Not all samples could be written; everything else works.\n%s\n", err)
		}
	}
	welcome(l.program, address, password, gallery.address)
	l.tellBlocked()
	l.tellUnmatched(installed)
	return l.follow(ctx)
}

// withCode adds a code to the failure of a step before the first start.
func withCode(err error) error {
	if step := (*stepError)(nil); errors.As(err, &step) {
		return platform.Advised(errModuleBuild, step.Error())
	}
	return err
}

func resetDev(
	ctx context.Context, settings environment.Database, installed *catalog.Catalog, id string,
) error {
	if id == "" {
		return nil
	}
	if _, found := installed.Module(id); !found {
		return cli.ErrNotInstalled
	}
	ctx, cancel := context.WithTimeout(ctx, platform.MigrationLimit)
	defer cancel()
	return migrations.Reset(ctx, database.Config(settings), id)
}

func welcome(p *cli.Program, address, password, gallery string) {
	fmt.Fprintf(p.Stdout, "\nNarthex runs at   %s\n", address)
	if password != "" {
		fmt.Fprintf(p.Stdout, "Owner             %s\nPassword          %s   (shown this once)\n", DevOwner,
			password)
	} else {
		fmt.Fprintf(p.Stdout, "Owner             %s   (the password was shown on the first run)\n", DevOwner)
	}
	fmt.Fprintf(p.Stdout, "Modules at work   %s%s\n", address, benchPath)
	fmt.Fprintf(p.Stdout, "Kit gallery       %s\nStop              Ctrl-C\n\n", gallery)
}

// devEnvironment returns the environment for the platform; nothing of the caller's environment is in it.
func devEnvironment(databaseURL, secret string, port int) map[string]string {
	return map[string]string{
		"NODE_ENV":                  "development",
		"DATABASE_URL":              databaseURL,
		"SERVICE_API_PORT":          strconv.Itoa(port),
		"SERVICE_IDENTITY_SECRET":   secret,
		"SERVICE_IDENTITY_BASE_URL": "http://localhost:" + strconv.Itoa(port),
	}
}

func LookupIn(variables map[string]string) environment.Lookup {
	return func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}
}

// withDevSecrets supplies a value for every secret that a module may declare.
func withDevSecrets(lookup environment.Lookup) environment.Lookup {
	return func(name string) (string, bool) {
		if strings.HasPrefix(name, "SERVICE_MODULE_SECRET__") {
			return "development", true
		}
		return lookup(name)
	}
}

// firstOwner creates the owner and returns the password, or "" if there is an owner already.
func firstOwner(ctx context.Context, p *cli.Program, settings environment.Database) (string, error) {
	password := rand.Text()
	_, err := platform.CreateOwner(ctx, settings, identity.Owner{
		Email: DevOwner,
		Name:  "Owner",
		Password: func(context.Context) (environment.Secret, error) {
			return environment.NewSecret(password), nil
		},
	})
	if errors.Is(err, identity.ErrOwnerExists) {
		return "", nil
	}
	return password, err
}

// loadSecret reads the installation's secret, or creates it on the first run.
func loadSecret(path string) (string, error) {
	kept, err := os.ReadFile(path)
	if err == nil {
		return string(kept), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	secret := rand.Text() + rand.Text()
	return secret, os.WriteFile(path, []byte(secret), 0o600)
}

// listenOn binds the first free port, before the base URL is built from it. dev keeps the socket open until
// it ends.
func listenOn(ctx context.Context, first uint16) (*net.TCPListener, error) {
	for port := int(first); port < int(first)+100 && port <= 65535; port++ {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return listener.(*net.TCPListener), nil
		}
	}
	return nil, errNoPort
}
