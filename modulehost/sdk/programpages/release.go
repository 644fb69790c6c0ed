// Package programpages releases the memory that holds pages of the process's own program file, once the
// process has started.
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

// Release releases the pages of the program's code and constants. A start touches most of them, and an idle
// process needs few. A released page comes back from the kernel's page cache when it is used again, and the
// kernel may now drop it from there. Release costs some tens of microseconds, and may be called at any time
// and concurrently.
//
// It does nothing in two cases in which pages differ from the file: a position-independent program, whose
// constants were relocated, and a program with a debugger, whose breakpoints are written into the code. It is
// only an optimisation, so it ignores errors of the kernel.
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

// readOnly returns the segments of the program's file that are mapped without write permission. It reads the
// file's header instead of /proc/self/maps, because of /proc a module may read nothing but its own
// executable.
func readOnly() ([]elf.Prog64, error) {
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var header elf.Header64 // 64 bits and little-endian, as all architectures that are built for
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

// traced reports whether a debugger is attached. In a sandbox the status file is unreadable; then there is
// none.
func traced() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && !bytes.Contains(status, []byte("\nTracerPid:\t0\n"))
}
