package process

import (
	"cmp"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// scriptName is argv[0] of a process that runs a script. The module's id and the script's path in the package
// follow.
const scriptName = "narthex-module-script"

// Script returns the path in the package of the script that this process runs for a module, and reads from
// its standard input. Main asks before anything else, and passes it to modulehost/script.
func Script() (path string, runs bool) {
	if len(os.Args) != 3 || os.Args[0] != scriptName {
		return "", false
	}
	return os.Args[2], true
}

// init gives a script's process the module's id as its name, as that of an executable has its file's. It has
// to be done in the first thread, where init runs.
func init() {
	if _, runs := Script(); !runs {
		return
	}
	name := [16]byte{}
	copy(name[:15], os.Args[1])
	_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&name[0])), 0, 0, 0) // it stays "narthex"
}

// ownProgram is what runs scripts. It stays the same file when the platform's is replaced on disk.
const ownProgram = "/proc/self/exe"

var errNotRegular = errors.New("the server is not a regular file")

// program is what a child executes and reads, opened and checked.
type program struct {
	executable *os.File // O_PATH
	input      *os.File // its standard input
}

// program opens what the child runs. A script is passed as an open file, so the child runs the file that was
// verified, and needs no permission to open it.
func (d *descriptors) program(config *Config) (p program, err error) {
	if config.Script == "" {
		if p.executable, err = d.server(config, config.Executable, unix.O_PATH); err != nil {
			return p, err
		}
		p.input, err = d.open(os.DevNull, unix.O_RDONLY)
		return p, err
	}
	if p.input, err = d.server(config, config.Script, unix.O_RDONLY|unix.O_NONBLOCK); err != nil {
		return p, err
	}
	p.executable, err = d.open(config.scriptRunner(), unix.O_PATH)
	return p, err
}

// scriptRunner returns the path of the program that runs the script.
func (c *Config) scriptRunner() string { return cmp.Or(c.Executable, ownProgram) }

// isDynamic reports whether a program needs libraries. The sandbox shows it none, so it cannot be executed
// there.
func isDynamic(path string) bool {
	program, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer program.Close()
	return slices.ContainsFunc(program.Progs, func(part *elf.Prog) bool { return part.Type == elf.PT_INTERP })
}

// server opens the module's own file and verifies it.
func (d *descriptors) server(config *Config, path string, flags int) (*os.File, error) {
	file, err := d.open(path, flags|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errNotRegular, err)
	}
	if config.Verify != nil {
		if err := config.Verify(file); err != nil {
			return nil, withCause(ErrUnavailable, err)
		}
	}
	return file, nil
}

// arguments returns the child's.
func (c *Config) arguments() []string {
	if c.Script == "" {
		return []string{filepath.Base(c.Executable)}
	}
	name, err := filepath.Rel(c.Folder, c.Script)
	if err != nil {
		name = filepath.Base(c.Script)
	}
	return []string{scriptName, c.ModuleID, name}
}
