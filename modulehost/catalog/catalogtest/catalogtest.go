// Package catalogtest installs modules for tests: manifests with the fewest files that discovery accepts.
package catalogtest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// Server is the path that a manifest must give its server program; Discover then creates the file.
const Server = "bin/server"

// Discover installs modules of version 1.0.0 into a temporary directory and discovers them. manifests maps a
// module's id to further members of its JSON object, beside id, name, version and compatibility; "" for
// none.
func Discover(t testing.TB, manifests map[string]string) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	for id, members := range manifests {
		if members != "" {
			members = ", " + members
		}
		write(t, filepath.Join(dir, id, "module.json"),
			`{"manifestVersion": 7, "id": "`+id+`", "name": "The `+id+`", "version": "1.0.0",
			"compatibility": {"platform": "*", "moduleSdk": "*"}`+members+`}`)
		if strings.Contains(members, `"`+Server+`"`) {
			write(t, filepath.Join(dir, id, Server), Executable(t))
		}
	}
	installed, err := catalog.Discover(dir, true, "0.1.2")
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Executable returns the smallest file that is a static executable of this machine. With elf.PT_INTERP among
// more it is a dynamic one.
func Executable(t testing.TB, more ...elf.ProgType) string {
	t.Helper()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if machine == elf.EM_NONE {
		t.Skip("no executable for this machine at hand")
	}
	segments := append([]elf.ProgType{elf.PT_LOAD}, more...)
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(segments))}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	parts := []any{header}
	for _, kind := range segments {
		parts = append(parts, elf.Prog64{Type: uint32(kind)})
	}
	var out bytes.Buffer
	for _, part := range parts {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
