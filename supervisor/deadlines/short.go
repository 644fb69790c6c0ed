//go:build shortdeadlines

package deadlines

// The divisors of a program that was built for a test which waits for a deadline. SERVICE_IDLE_EXIT_MINUTES
// are seconds there.
const (
	divisor     = 10
	idleDivisor = 60
)
