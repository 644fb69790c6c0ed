package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// repository is the path from this folder to the checkout's root.
const repository = "../../.."

// TestReference compares the parts of docs/reference that repeat the code with the code itself.
// REFERENCE=write rewrites those parts ("make generate").
func TestReference(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t))
	if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("migrations:apply failed")
	}
	routes := i.inProcess(t).Routes()
	checkOpenAPI(t, routes)
	for block, content := range map[string]string{
		"http-api.md routes":         routeTable(routes),
		"environment.md environment": variableTable(environment.Variables()),
		"commands.md commands":       commandHelp(t),
		"manifest.md manifest":       manifestTable(t),
	} {
		page, name, _ := strings.Cut(block, " ")
		checkBlock(t, filepath.Join(repository, "docs/reference", page), name, content)
	}
}

// checkBlock compares the text between a page's markers of that name, or replaces it.
func checkBlock(t *testing.T, path, name, content string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(page), begin)
	current, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no block %q", path, name)
	}
	if current == content {
		return
	}
	if os.Getenv("REFERENCE") != "write" {
		t.Errorf("%s: the block %q is outdated; run: make generate", filepath.Base(path), name)
		return
	}
	if err := os.WriteFile(path, []byte(before+begin+content+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkOpenAPI compares the operations of openapi.yaml with the route table, and looks for references without
// a target. Channels and displays are routes of modules, so the table of an installation without modules
// lacks them.
func checkOpenAPI(t *testing.T, routes []httpapi.Route) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "docs/reference/openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]any `yaml:"paths"`
		Components map[string]map[string]any `yaml:"components"`
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	described := []string{}
	for path, operations := range document.Paths {
		for method := range operations {
			if method != "parameters" && path != "/api/v1/module-realtime/{id}/{channel}" &&
				path != "/api/v1/module-displays/{id}" && path != "/api/v1/module-links/{id}" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	wanted := []string{}
	for _, r := range routes {
		wanted = append(wanted, r.Method+" "+r.Path)
	}
	slices.Sort(described)
	slices.Sort(wanted)
	if !slices.Equal(described, wanted) {
		t.Errorf("openapi.yaml describes\n%s\nwant\n%s", strings.Join(described, "\n"), strings.Join(wanted, "\n"))
	}
	for _, r := range routes {
		operation, _ := document.Paths[r.Path][strings.ToLower(r.Method)].(map[string]any)
		declared, _ := operation["responses"].(map[string]any)
		for _, status := range gateStatuses(r) {
			if declared[strconv.Itoa(status)] == nil {
				t.Errorf("openapi.yaml lacks the answer %d of %s %s, which a gate before it gives", status, r.Method,
					r.Path)
			}
		}
	}
	for _, match := range regexp.MustCompile(`#/components/(\w+)/(\w+)`).FindAllStringSubmatch(string(text),
		-1) {
		if document.Components[match[1]][match[2]] == nil {
			t.Errorf("openapi.yaml refers to %s, which it does not define", match[0])
		}
	}
}

// gateStatuses returns the statuses that the gates before a route's handler can give.
func gateStatuses(r httpapi.Route) (statuses []int) {
	if r.Path == "/api/v1/health/live" {
		return nil
	}
	statuses = append(statuses, http.StatusInternalServerError)
	if strings.HasPrefix(r.Path, "/api/") {
		statuses = append(statuses, http.StatusServiceUnavailable) // the client's address, or a store
	}
	if r.Permission != "" {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden)
	}
	if r.Origin != httpapi.NoOrigin {
		statuses = append(statuses, http.StatusForbidden)
	}
	if r.Body != httpapi.NoBody {
		statuses = append(statuses, http.StatusBadRequest, http.StatusRequestEntityTooLarge)
	}
	if strings.Contains(r.Path, "{") {
		statuses = append(statuses, http.StatusNotFound)
	}
	return statuses
}

// TestCodes compares docs/reference/error-codes.md with the codes in the sources, in both directions.
func TestCodes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(repository, "docs/reference/error-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, match := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)`").FindAllStringSubmatch(string(page), -1) {
		explained[match[1]] = true
	}
	constant, literal := regexp.MustCompile(`[eE]rror\("([A-Z_]+)"\)`), regexp.MustCompile(`"([A-Z_]+)[":]`)
	found := map[string]bool{}
	err = filepath.WalkDir(repository, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" ||
			entry.Name() == ".tools" || path == filepath.Join(repository, "modules")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range literal.FindAllStringSubmatch(string(source), -1) {
			found[match[1]] = true
		}
		for _, match := range constant.FindAllStringSubmatch(string(source), -1) {
			if !explained[match[1]] {
				t.Errorf("error-codes.md does not explain %s", match[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for code := range explained {
		if !found[code] {
			t.Errorf("error-codes.md explains %s, which no code uses", code)
		}
	}
}

func routeTable(routes []httpapi.Route) string {
	var table strings.Builder
	table.WriteString("| method | path | permission | Origin | limit |\n|---|---|---|---|---|\n")
	slices.SortStableFunc(routes, func(a,
		b httpapi.Route) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	for _, r := range routes {
		method, permission, origin, limit := r.Method, "", "–", "–"
		if r.Head {
			method += ", HEAD"
		}
		if r.Permission != "" {
			permission = "`" + r.Permission + "`"
		}
		if r.OrPermission != "" {
			permission += " or `" + r.OrPermission + "`"
		}
		switch r.Origin {
		case httpapi.TrustedOrigin:
			origin = "trusted"
		case httpapi.OriginByHandler:
			origin = "identity"
		}
		if r.MaxBody > 0 {
			limit = fmt.Sprintf("%d KiB", r.MaxBody>>10)
		}
		fmt.Fprintf(&table, "| %s | `%s` | %s | %s | %s |\n", method, r.Path, permission, origin, limit)
	}
	return table.String()
}

func variableTable(variables []environment.Variable) string {
	var table strings.Builder
	table.WriteString("| variable | default | meaning |\n|---|---|---|\n")
	for _, v := range variables {
		standard := v.Default
		if standard == "" {
			standard = "–"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", v.Name, standard, v.Meaning)
	}
	return table.String()
}

// commandName matches the line of a command in the program's help.
var commandName = regexp.MustCompile(`(?m)^  ([a-z][a-z:-]*) +[A-Z]`)

// commandHelp returns the help texts of all commands.
func commandHelp(t *testing.T) string {
	var text strings.Builder
	help := runCommand(t, nil, "", "--help").stdout.String()
	for _, match := range commandName.FindAllStringSubmatch(help, -1) {
		name := match[1]
		if name == "help" || name == "completion" {
			continue
		}
		help := strings.TrimSpace(runCommand(t, nil, "", name, "--help").stdout.String())
		fmt.Fprintf(&text, "## %s\n\n```text\n%s\n```\n\n", name, help)
	}
	text.WriteString("## narthex-dev\n\nnarthex-dev has every command above, and these:\n\n")
	for _, name := range developmentCommands {
		help := strings.TrimSpace(runCommand(t, nil, "", name, "--help").stdout.String())
		fmt.Fprintf(&text, "### %s\n\n```text\n%s\n```\n\n", name, help)
	}
	return "\n" + text.String()
}

// schemaNode holds what the table shows of a JSON Schema.
type schemaNode struct {
	Ref         string                `json:"$ref"`
	Type        any                   `json:"type"`
	Description string                `json:"description"`
	Required    []string              `json:"required"`
	Properties  map[string]schemaNode `json:"properties"`
	Items       *schemaNode           `json:"items"`
	Members     json.RawMessage       `json:"additionalProperties"` // false, or a schema
	Then        *schemaNode           `json:"then"`                 // of a field that may also be an object
	Defs        map[string]schemaNode `json:"$defs"`
}

func manifestTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "modulehost/manifest/module.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema schemaNode
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| field | required | meaning |\n|---|---|---|\n")
	schema.writeFields(&table, "", schema.Defs)
	return table.String()
}

func (n schemaNode) writeFields(table *strings.Builder, prefix string, defs map[string]schemaNode) {
	names := make([]string, 0, len(n.Properties))
	for name := range n.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		field := n.Properties[name].resolve(defs)
		required := ""
		if slices.Contains(n.Required, name) {
			required = "yes"
		}
		path := prefix + name
		below := field
		if field.Items != nil {
			path += "[]"
			below = field.Items.resolve(defs)
		}
		if field.Then != nil {
			below = field.Then.resolve(defs)
		}
		members := schemaNode{}
		if json.Unmarshal(field.Members, &members) == nil {
			path += "{}"
			below = members.resolve(defs)
		}
		description := strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(field.Description)
		fmt.Fprintf(table, "| `%s` | %s | %s |\n", path, required, description)
		below.writeFields(table, path+".", defs)
	}
}

// resolve follows a reference. The description beside the reference has precedence.
func (n schemaNode) resolve(defs map[string]schemaNode) schemaNode {
	name, found := strings.CutPrefix(n.Ref, "#/$defs/")
	if !found {
		return n
	}
	target := defs[name].resolve(defs)
	if n.Description != "" {
		target.Description = n.Description
	}
	return target
}
