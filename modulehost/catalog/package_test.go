package catalog_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const platform = "0.1.2"

// fields are members of a manifest; they replace those that every module here has.
type fields map[string]any

// install writes a module's folder with what a browser-only module needs at least.
func install(t testing.TB, dir, id string, more fields) string {
	t.Helper()
	manifest := fields{"manifestVersion": 7, "id": id, "name": strings.ToUpper(id), "version": "1.0.0",
		"compatibility": fields{"platform": "^0.1.0", "moduleSdk": "^0.1.0"}}
	for name, value := range more {
		manifest[name] = value
	}
	raw, err := json.Marshal(manifest)
	must(t, err)
	folder := filepath.Join(dir, id)
	write(t, filepath.Join(folder, "module.json"), string(raw))
	return folder
}

// needs are dependencies as `module people ^1.0.0`.
func needs(required []string, optional ...string) fields {
	edges := func(lines []string) []fields {
		list := []fields{}
		for _, line := range lines {
			part := strings.SplitN(line, " ", 3)
			list = append(list, fields{"kind": part[0], "id": part[1], "range": part[2]})
		}
		return list
	}
	return fields{"required": edges(required), "optional": edges(optional)}
}

// executable is the least that counts as a static executable of this machine; with an interpreter it is a dynamic one.
func executable(t testing.TB, kinds ...elf.ProgType) string {
	t.Helper()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if machine == elf.EM_NONE || runtime.GOOS != "linux" {
		t.Skip("no executable for this machine at hand")
	}
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(kinds))}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	var out bytes.Buffer
	must(t, binary.Write(&out, binary.LittleEndian, header))
	for _, kind := range kinds {
		must(t, binary.Write(&out, binary.LittleEndian, elf.Prog64{Type: uint32(kind)}))
	}
	return out.String()
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o755))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
