// Package scripttest runs the tests of a module whose server is TypeScript: the files of server-src whose
// names end in .test.ts. Each test gets the module in the test kit of Go (modulehost/sdktest), so behind the
// platform's real gates, with a real PostgreSQL and the same faults, and speaks with it from an engine of its
// own (script.Tests).
//
//	modules:test → Load → Suite.Run → sdktest.Start → the module's script
//	                          ↑ Kit.Ask ← script.Tests ← the author's test
package scripttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/script"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// within limits one test.
const within = time.Minute

var (
	errNoServer = errors.New("the folder has no server-src/index.ts")
	errNoTests  = errors.New("server-src has no file whose name ends in .test.ts")
)

// Suite are the tests of a module.
type Suite struct {
	folder string
	server bundle.Script
	output io.Writer
	files  []*script.Tests
	tests  []Test
}

// Test is one test of a suite.
type Test struct {
	File, Name string
	of         *script.Tests
	test       script.Test
}

// Load bundles the module of a folder and its tests. What scripts print goes to output. An error is for the
// author: what cannot be built, or which file of tests failed at its beginning.
func Load(folder string, output io.Writer) (*Suite, error) {
	sdk, err := bundle.ReadSDK(web.SDK())
	if err != nil {
		return nil, err
	}
	s := &Suite{folder: folder, output: output}
	built, err := bundle.Module(folder, sdk)
	if err != nil {
		return nil, err
	}
	for _, one := range built {
		if strings.HasPrefix(one.Path, "server/") {
			s.server = one
		}
	}
	if s.server.Path == "" {
		return nil, errNoServer
	}
	files, err := bundle.Tests(folder, sdk)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		loaded, err := script.NewTests(file.Path, file.Bytes, output)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		s.files = append(s.files, loaded)
		for _, test := range loaded.All() {
			s.tests = append(s.tests, Test{File: file.Path, Name: test.Name, of: loaded, test: test})
		}
	}
	if len(s.tests) == 0 {
		s.Close()
		return nil, errNoTests
	}
	return s, nil
}

// Tests returns all tests in their order.
func (s *Suite) Tests() []Test { return s.tests }

// Close ends the engines of the tests.
func (s *Suite) Close() {
	for _, file := range s.files {
		file.Close()
	}
}

// deployment is what a test says about the module's surroundings.
type deployment struct {
	TimeZone      string                     `json:"timeZone"`
	Configuration map[string]json.RawMessage `json:"configuration"`
	Secrets       map[string]string          `json:"secrets"`
	Capabilities  map[string][]string        `json:"capabilities"`
}

// Run runs a test with a module of its own, and returns why it failed. Tests of one file run one after the
// other.
func (s *Suite) Run(ctx context.Context, test Test) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, errors.New("the test has not ended after a minute"))
	defer cancel()
	tb := newTB(ctx, test.Name)
	failed := tb.run(func() {
		options, err := s.options(test)
		if err != nil {
			tb.Fatal(err)
		}
		kit := &kit{tb: tb, module: s.module}
		kit.under = sdktest.Start(tb, s.module(), options)
		if err := test.of.Run(ctx, test.test, kit); err != nil {
			tb.Error(err)
		}
	})
	return failed
}

// module returns the module's server, which has not started.
func (s *Suite) module() sdk.Module {
	m := script.New(s.server.Path, s.server.Bytes)
	m.Tell(s.output)
	return m
}

func (s *Suite) options(test Test) (sdktest.Options, error) {
	var given deployment
	decoder := json.NewDecoder(strings.NewReader(string(test.test.Options)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&given); err != nil {
		return sdktest.Options{}, fmt.Errorf("the options of a test: %w", err)
	}
	options := sdktest.Options{Folder: s.folder, TimeZone: given.TimeZone, Secrets: given.Secrets}
	if len(given.Configuration) > 0 {
		options.Configuration = make(map[string]any)
	}
	for key, text := range given.Configuration {
		var whole int64
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return options, err
		}
		if json.Unmarshal(text, &whole) == nil {
			value = whole
		}
		options.Configuration[key] = value
	}
	options.Capabilities = make(map[string]sdk.Methods)
	for id, methods := range given.Capabilities {
		options.Capabilities[id] = make(sdk.Methods)
		for _, method := range methods {
			options.Capabilities[id][method] = func(ctx context.Context, input []byte) (any, error) {
				output, err := test.of.Stand(ctx, test.test, id, method, input)
				return json.RawMessage(output), err
			}
		}
	}
	return options, nil
}
