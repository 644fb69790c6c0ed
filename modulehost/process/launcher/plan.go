package launcher

import (
	"strconv"
	"strings"
)

// Plan describes the steps of the launcher. Nothing in it is secret: it is passed in the process's arguments.
type Plan struct {
	Host        int      // pid of the host
	Nice        int      // the module's niceness
	Name        string   // argv[0] of the module
	Environment []string // the module's whole environment
	Limits      []Limit  // in this order

	Executable, Folder int // descriptors, O_PATH
	Cgroup             int // descriptor of its group's cgroup.procs; 0: there is no group
	CloseFrom          int // the first descriptor that the module does not inherit

	Landlock Landlock
	// Filter is the seccomp program; nil: no filter. An instruction that compares with PID compares with the
	// process's own id.
	Filter []Instruction

	// constants of system calls that differ by architecture
	Seccomp, Execveat int
}

// Limit is a resource limit, soft and hard.
type Limit struct {
	Resource int
	Value    uint64
}

// Landlock holds the rights that a ruleset removes, and those that its two rules grant.
type Landlock struct {
	Files, Network, Outside uint64 // all 0: no ruleset
	Executable, Folder      uint64
}

// Instruction is an instruction of classic BPF.
type Instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// PID stands for the process's own id in a filter. No process has an id as large (the largest is 2^22).
const PID = 0x7fff_fffe

// compare is BPF_JMP | BPF_JEQ | BPF_K.
const compare = 0x15

// Arguments returns the launcher's arguments, argv[0] included.
func (p Plan) Arguments() []string {
	numbers := []uint64{
		uint64(p.Host), uint64(p.Nice), uint64(p.Executable), uint64(p.Folder), uint64(p.Cgroup),
		uint64(p.CloseFrom), uint64(p.Seccomp), uint64(p.Execveat), p.Landlock.Files, p.Landlock.Network,
		p.Landlock.Outside, p.Landlock.Executable, p.Landlock.Folder,
	}
	var limits, filter []uint64
	for _, limit := range p.Limits {
		limits = append(limits, uint64(limit.Resource), limit.Value)
	}
	for _, i := range p.Filter {
		filter = append(filter, uint64(i.Code)<<48|uint64(i.Jt)<<40|uint64(i.Jf)<<32|uint64(i.K))
	}
	return append([]string{Name, join(numbers), join(limits), join(filter), p.Name}, p.Environment...)
}

// parse is the reverse of Arguments, without argv[0].
func parse(arguments []string) (p Plan, ok bool) {
	if len(arguments) < 4 {
		return p, false
	}
	numbers, ok1 := split(arguments[0])
	limits, ok2 := split(arguments[1])
	filter, ok3 := split(arguments[2])
	if !ok1 || !ok2 || !ok3 || len(numbers) != 13 || len(limits)%2 != 0 {
		return p, false
	}
	for i, into := range []*int{&p.Host, &p.Nice, &p.Executable, &p.Folder, &p.Cgroup, &p.CloseFrom, &p.Seccomp,
		&p.Execveat} {
		*into = int(numbers[i])
	}
	p.Landlock = Landlock{Files: numbers[8], Network: numbers[9], Outside: numbers[10], Executable: numbers[11],
		Folder: numbers[12]}
	for i := 0; i < len(limits); i += 2 {
		p.Limits = append(p.Limits, Limit{Resource: int(limits[i]), Value: limits[i+1]})
	}
	for _, i := range filter {
		p.Filter = append(p.Filter, Instruction{Code: uint16(i >> 48), Jt: uint8(i >> 40), Jf: uint8(i >> 32),
			K: uint32(i)})
	}
	p.Name, p.Environment = arguments[3], arguments[4:]
	return p, true
}

func join(numbers []uint64) string {
	var b []byte
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, n, 36)
	}
	return string(b)
}

func split(text string) (numbers []uint64, ok bool) {
	for text != "" {
		var field string
		field, text, _ = strings.Cut(text, " ")
		n, err := strconv.ParseUint(field, 36, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}
