//go:build !shortdeadlines

package deadlines

const (
	divisor     = 1
	idleDivisor = 1
)
