package process

// What tests alone may open.

// WithKernel lets a test take walls away that this kernel has.
func (c *Config) WithKernel(alter func(*Report)) {
	c.kernel = func() Report {
		walls := Walls()
		alter(&walls)
		return walls
	}
}

// Call is a row of the filter's table.
type Call struct {
	Name        string
	Number      int // -1: absent
	ByArguments bool
	Refusal     uint32 // of a whole refusal
}

// Calls is the table for one architecture.
func Calls(goarch string) []Call {
	var table []Call
	for _, c := range calls(1) {
		refusal := c.errno
		if refusal == 0 {
			refusal = 1 // EPERM
		}
		table = append(table, Call{c.name, c.number(goarch), c.only != nil, uint32(refusal)})
	}
	return table
}

var (
	Filter            = filter
	UsableABI         = usableABI
	AuditArchitecture = auditArchitecture
)

const NewestCall = newestCall
