package manifest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"runtime"
)

// MaxExecutableBytes limits a server executable: 256 MiB, what a module's process may hold in memory.
const MaxExecutableBytes = 256 << 20

// maxProgramHeaders is far above what linkers write; a header that claims more is refused.
const maxProgramHeaders = 128

const (
	notExecutableHere = Refusal(
		"must be an ELF executable for this system and processor; build with CGO_ENABLED=0.")
	notStatic  = Refusal("must be statically linked; build with CGO_ENABLED=0.")
	incomplete = Refusal("must be a complete executable; this one was cut short.")
)

// machines are the processors that modules can be built for, by Go's name for them.
var machines = map[string]elf.Machine{
	"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "riscv64": elf.EM_RISCV,
	"loong64": elf.EM_LOONGARCH, "ppc64le": elf.EM_PPC64, "s390x": elf.EM_S390,
}

// Executable checks a server executable of at most 256 MiB by its headers, without reading the rest. The file
// must be a static ELF executable for this machine, because nothing else can start in the sandbox: a dynamic
// one fails there with EACCES and a script with ENOENT. Every error is a Refusal.
func (p *Package) Executable(path string) (*Artifact, error) {
	file, identity, err := p.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if identity.Size > MaxExecutableBytes {
		return nil, tooLarge(MaxExecutableBytes)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, refusal(err)
	}
	if info.Mode()&0o111 == 0 {
		return nil, Refusal("must have its executable bit set.")
	}
	if err := checkELF(file, identity.Size); err != nil {
		return nil, err
	}
	return &Artifact{Path: path, Identity: identity}, nil
}

// checkELF reads the file header and the program headers itself. debug/elf would read the sections as well,
// and it is not made for untrusted files. size is the file's, in bytes.
func checkELF(file io.ReaderAt, size int64) error {
	var header elf.Header64
	raw := make([]byte, binary.Size(header))
	if _, err := file.ReadAt(raw, 0); err != nil {
		return notExecutableHere
	}
	order := byteOrder(raw[elf.EI_DATA])
	if !bytes.HasPrefix(raw, []byte(elf.ELFMAG)) || elf.Class(raw[elf.EI_CLASS]) != elf.ELFCLASS64 ||
		order == nil {
		return notExecutableHere
	}
	if _, err := binary.Decode(raw, order, &header); err != nil {
		return notExecutableHere
	}
	machine, known := machines[runtime.GOARCH]
	kind := elf.Type(header.Type)
	if !known || elf.Machine(header.Machine) != machine || order != nativeOrder() || kind != elf.ET_EXEC &&
		kind != elf.ET_DYN {
		return notExecutableHere
	}
	if abi := elf.OSABI(raw[elf.EI_OSABI]); abi != elf.ELFOSABI_NONE && abi != elf.ELFOSABI_LINUX {
		return notExecutableHere // the kernel would start it, and it would fail at its first system call
	}
	return checkSegments(file, size, header, order)
}

// checkSegments refuses an executable that needs an interpreter, and one whose file is too short for its
// segments: the kernel would start that one, and it would crash at the first missing byte. A
// position-independent executable without an interpreter is static as well.
func checkSegments(file io.ReaderAt, size int64, header elf.Header64, order binary.ByteOrder) error {
	var segment elf.Prog64
	each := binary.Size(segment)
	if header.Phnum == 0 || header.Phnum > maxProgramHeaders || int(header.Phentsize) != each ||
		header.Phoff > MaxExecutableBytes {
		return notExecutableHere
	}
	raw := make([]byte, each*int(header.Phnum))
	if _, err := file.ReadAt(raw, int64(header.Phoff)); err != nil {
		return notExecutableHere
	}
	loads := false
	for ; len(raw) > 0; raw = raw[each:] {
		if _, err := binary.Decode(raw, order, &segment); err != nil {
			return notExecutableHere
		}
		switch elf.ProgType(segment.Type) {
		case elf.PT_INTERP:
			return notStatic
		case elf.PT_LOAD:
			loads = true
			if segment.Off > uint64(size) || segment.Filesz > uint64(size)-segment.Off {
				return incomplete
			}
		}
	}
	if !loads {
		return notExecutableHere
	}
	return nil
}

func byteOrder(data byte) binary.ByteOrder {
	switch elf.Data(data) {
	case elf.ELFDATA2LSB:
		return binary.LittleEndian
	case elf.ELFDATA2MSB:
		return binary.BigEndian
	}
	return nil
}

// nativeOrder returns this machine's byte order. Of the processors in machines only s390x is big-endian.
func nativeOrder() binary.ByteOrder {
	if runtime.GOARCH == "s390x" {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
