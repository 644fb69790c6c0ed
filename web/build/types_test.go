package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/scaffold"
)

// TestTypesForAuthors: TypeScript checks the page of a module outside the checkout, down to the properties of
// the kit's components, with only the files that modules:new has written.
func TestTypesForAuthors(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the type checker several times")
	}
	inCheckout(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	written, err := scaffold.Write(scaffold.Config{ID: "prayer-list", WorkDir: root, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(root, "web/node_modules/.bin/tsc")
	check := func(source string) (report string, err error) {
		t.Helper()
		file := filepath.Join(written.Folder, "ui-src", "board.tsx")
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), compiler, "-p", ".", "--listFiles")
		command.Dir = written.Folder
		output, err := command.CombinedOutput()
		return string(output), err
	}
	const board = `
import { Button, CollectionScreen, Combobox, Table, TextField, Toasts, kitLocale } from "@narthex/kit";
import { defineModuleUi, type ModuleUiContext } from "@narthex/sdk";
import { computed } from "@preact/signals";
import { render } from "preact";
import { useState } from "preact/hooks";

const language = computed(() => kitLocale.value.slice(0, 2));
const toasts = new Toasts();

interface Book {
	readonly id: string;
	readonly rev: number;
	readonly name: string;
}

function Board({ context }: { readonly context: ModuleUiContext }) {
	const [text, setText] = useState("");
	return (
		<section lang={language}>
			<TextField label="Name" value={text} onInput={setText} />
			<Combobox label="Person" chosen={undefined} onChoose={(id) => id} options={[]} />
			<Table label="Notes" rows={[{ id: "1" }]} rowId={({ id }) => id}
				columns={[{ id: "name", head: "Name", cell: ({ id }) => <b>{id}</b> }]} />
			<CollectionScreen context={context} path="/books" write="library.write" whole
				fields={{ name: { type: "text" }, lent: { type: "switch" } }}
				words={{ en: { title: "Books", add: "New book", empty: "None", fields: { LABELS } } }}
				name={(book: Book) => book.name} check={({ lent }) => (lent === true ? { name: "No" } : {})} />
			<Button kind="KIND" onPress={() => context.announce(text)}>Save</Button>
			<Button onPress={() => toasts.close()}>Close</Button>
		</section>
	);
}

export default defineModuleUi({
	mount: (container, context) => render(<Board context={context} />, container),
});
`
	const labels = `name: "Name", lent: { label: "Lent", help: "To somebody." }`
	report, err := check(strings.NewReplacer("KIND", "primary", "LABELS", labels).Replace(board))
	if err != nil {
		t.Fatalf("the page of a new module outside of the checkout: %v\n%s", err, report)
	}
	for file := range strings.Lines(report) {
		if strings.HasPrefix(file, root) && !strings.Contains(file, "typescript") {
			t.Errorf("it is checked with the checkout's %s", file)
		}
	}
	report, err = check(strings.NewReplacer("KIND", "loudest", "LABELS", labels).Replace(board))
	if err == nil || !strings.Contains(report, `"loudest"`) {
		t.Errorf("a button of a kind that there is not: %v, want it to be refused\n%s", err, report)
	}
	report, err = check(strings.NewReplacer("KIND", "primary", "LABELS", `name: "Name"`).Replace(board))
	if err == nil || !strings.Contains(report, "'lent'") {
		t.Errorf("a collection without the label of a field: %v, want it to be refused\n%s", err, report)
	}
}

// TestTypesOfServers: TypeScript checks a new module's server with the types of @narthex/server, and finds
// what is wrong.
func TestTypesOfServers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the type checker twice")
	}
	inCheckout(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	written, err := scaffold.Write(scaffold.Config{ID: "prayer-list", WorkDir: root, Dir: t.TempDir(),
		Script: true})
	if err != nil {
		t.Fatal(err)
	}
	check := func() (report string, err error) {
		compiler := filepath.Join(root, "web/node_modules/.bin/tsc")
		command := exec.CommandContext(t.Context(), compiler, "-p", "server-src")
		command.Dir = written.Folder
		output, err := command.CombinedOutput()
		return string(output), err
	}
	if report, err := check(); err != nil {
		t.Errorf("tsc of a new module's server: %v\n%s", err, report)
	}
	wrong := "import { defineModule, shape } from \"@narthex/server\";\n" +
		"export default defineModule((m) => m.post(\"/a\", \"p\", { maxBodyBytes: 9 }, async (request) => {\n" +
		"\tconst sent = await request.json({ n: shape.optional(shape.integer(1, 2)) });\n" +
		"\treturn sent.n.toFixed() + sent.other;\n}));\n"
	index := filepath.Join(written.Folder, "server-src", "index.ts")
	if err := os.WriteFile(index, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := check()
	if err == nil || !strings.Contains(report, "index.ts(4,9): error") || !strings.Contains(report, "'other'") {
		t.Errorf("tsc of a wrong server: error %v, want two at line 4\n%s", err, report)
	}
}
