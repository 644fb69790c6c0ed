// Package programpages owns what a process does with the pages of its own program's file: it lets go of them
// once its start is over.
package programpages

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Release takes the program's code and constants out of the process's memory: a start touches most of them,
// and a process at rest needs few. What is used again comes back page by page from the kernel's cache of the
// file, which the kernel may now shrink before it takes what is in use. It costs some tens of microseconds,
// may be called at any time and by several goroutines, and changes nothing where the program could lose
// something by it: one that is loaded at an address of the system's choice, whose constants were written
// after they were read, and one that a debugger traces, whose breakpoints are written into the code. Nothing
// depends on it, so what the kernel refuses is left as it is.
func Release() {
	if traced() {
		return
	}
	segments, err := readOnly()
	if err != nil {
		return
	}
	page := uint64(os.Getpagesize())
	for _, s := range segments {
		from, to := s.Vaddr&^(page-1), (s.Vaddr+s.Filesz+page-1)&^(page-1)
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
	}
}

var errMoved = errors.New("not loaded at the addresses of its file")

// readOnly returns the parts of the file that the process can read or execute and never writes. A module may
// read its own executable and nothing else of /proc, so that the file tells, and not the list of mappings.
func readOnly() ([]elf.Prog64, error) {
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var header elf.Header64 // of both architectures that are built for, little-endian
	if err := binary.Read(file, binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	if elf.Type(header.Type) != elf.ET_EXEC {
		return nil, errMoved
	}
	all := make([]elf.Prog64, header.Phnum)
	table := io.NewSectionReader(file, int64(header.Phoff), int64(header.Phnum)*int64(header.Phentsize))
	if err := binary.Read(table, binary.LittleEndian, all); err != nil {
		return nil, err
	}
	var segments []elf.Prog64
	for _, s := range all {
		if elf.ProgType(s.Type) == elf.PT_LOAD && elf.ProgFlag(s.Flags)&elf.PF_W == 0 {
			segments = append(segments, s)
		}
	}
	return segments, nil
}

// traced tells whether a debugger is attached. Who may not read that is confined, and has none yet.
func traced() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && !bytes.Contains(status, []byte("\nTracerPid:\t0\n"))
}
