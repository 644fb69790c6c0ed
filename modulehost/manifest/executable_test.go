package manifest_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

const (
	wrongMachine = "must be an ELF executable for this system and processor; build with CGO_ENABLED=0."
	dynamic      = "must be statically linked; build with CGO_ENABLED=0."
	cut          = "must be a complete executable; this one was cut short."
)

// machine is this processor's name in ELF; zero for a processor that these tests do not know.
var machine = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]

// binaryFile returns an executable of a header and the given segments. change may alter the header.
func binaryFile(t testing.TB, change func(*elf.Header64), segments ...elf.ProgType) []byte {
	t.Helper()
	if machine == elf.EM_NONE {
		t.Skip("no executable for this machine at hand")
	}
	header := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(segments)),
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	if change != nil {
		change(&header)
	}
	var out bytes.Buffer
	must(t, binary.Write(&out, binary.LittleEndian, header))
	for _, kind := range segments {
		must(t, binary.Write(&out, binary.LittleEndian, elf.Prog64{Type: uint32(kind)}))
	}
	return out.Bytes()
}

// loading returns static with another offset and size of its second segment, which is loaded.
func loading(static []byte, offset, size uint64) []byte {
	const second = 64 + 56
	data := bytes.Clone(static)
	binary.LittleEndian.PutUint64(data[second+8:], offset)
	binary.LittleEndian.PutUint64(data[second+32:], size)
	return data
}

func TestExecutable(t *testing.T) {
	t.Parallel()
	static := binaryFile(t, nil, elf.PT_PHDR, elf.PT_LOAD)
	for name, c := range map[string]struct {
		data []byte
		mode os.FileMode
		want string
	}{
		"static": {static, 0o755, ""},
		"static pie": {binaryFile(t, func(h *elf.Header64) { h.Type = uint16(elf.ET_DYN) }, elf.PT_LOAD,
			elf.PT_DYNAMIC), 0o700, ""},
		"no bit":  {static, 0o644, "must have its executable bit set."},
		"dynamic": {binaryFile(t, nil, elf.PT_LOAD, elf.PT_INTERP), 0o755, dynamic},
		"script":  {[]byte("#!/bin/sh\nexec /bin/true " + string(make([]byte, 64))), 0o755, wrongMachine},
		"short":   {[]byte("\x7fELF"), 0o755, wrongMachine},
		"empty":   {nil, 0o755, wrongMachine},
		"object file": {binaryFile(t, func(h *elf.Header64) { h.Type = uint16(elf.ET_REL) }, elf.PT_LOAD),
			0o755, wrongMachine},
		"other processor": {binaryFile(t, func(h *elf.Header64) { h.Machine = uint16(elf.EM_MIPS) }, elf.PT_LOAD),
			0o755, wrongMachine},
		"32 bit": {binaryFile(t, func(h *elf.Header64) { h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS32) },
			elf.PT_LOAD), 0o755, wrongMachine},
		"big endian": {binaryFile(t, func(h *elf.Header64) { h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2MSB) },
			elf.PT_LOAD), 0o755, wrongMachine},
		"no byte order": {binaryFile(t, func(h *elf.Header64) { h.Ident[elf.EI_DATA] = 9 }, elf.PT_LOAD), 0o755,
			wrongMachine},
		"no segments":     {binaryFile(t, nil), 0o755, wrongMachine},
		"nothing to load": {binaryFile(t, nil, elf.PT_NOTE), 0o755, wrongMachine},
		"segments cut":    {static[:100], 0o755, wrongMachine},
		"Linux by name": {binaryFile(t, func(h *elf.Header64) {
			h.Ident[elf.EI_OSABI] = byte(
				elf.ELFOSABI_LINUX)
		}, elf.PT_LOAD), 0o755, ""},
		"other system": {binaryFile(t, func(h *elf.Header64) {
			h.Ident[elf.EI_OSABI] = byte(
				elf.ELFOSABI_FREEBSD)
		}, elf.PT_LOAD), 0o755, wrongMachine},
		"cut short":   {loading(static, 0, uint64(len(static))+1), 0o755, cut},
		"cut off":     {loading(static, uint64(len(static))+1, 0), 0o755, cut},
		"around zero": {loading(static, 64, 1<<64-1), 0o755, cut},
		"all there":   {loading(static, 64, uint64(len(static))-64), 0o755, ""},
		"many segments": {binaryFile(t, func(h *elf.Header64) { h.Phnum = 0xffff }, elf.PT_LOAD), 0o755,
			wrongMachine},
		"far segments": {binaryFile(t, func(h *elf.Header64) { h.Phoff = 1 << 63 }, elf.PT_LOAD), 0o755,
			wrongMachine},
		"wide segments": {binaryFile(t, func(h *elf.Header64) { h.Phentsize = 57 }, elf.PT_LOAD), 0o755,
			wrongMachine},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			must(t, os.WriteFile(filepath.Join(folder, "server"), c.data, 0o600))
			must(t, os.Chmod(filepath.Join(folder, "server"), c.mode))
			pkg, err := manifest.OpenPackage(folder)
			must(t, err)
			defer pkg.Close()
			artifact, err := pkg.Executable("server")
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			must(t, err)
			if artifact.Path != "server" || artifact.Bytes != nil || artifact.Identity.Inode == 0 ||
				artifact.Identity.Size != int64(len(c.data)) {
				t.Errorf("Executable returned %+v, want the path and identity without bytes", artifact)
			}
		})
	}
}

func TestExecutableTooLarge(t *testing.T) {
	t.Parallel()
	static := binaryFile(t, nil, elf.PT_LOAD)
	folder := t.TempDir()
	path := filepath.Join(folder, "server")
	must(t, os.WriteFile(path, static, 0o755))
	must(t, os.Truncate(path, 10<<30))
	pkg, err := manifest.OpenPackage(folder)
	must(t, err)
	defer pkg.Close()
	if _, err := pkg.Executable("server"); err == nil || err.Error() != "must not be larger than 256 MiB." {
		t.Errorf("Executable of 256 MiB and a byte: %v, want that it is too large", err)
	}
}
