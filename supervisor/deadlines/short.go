//go:build shortdeadlines

package deadlines

// divisor is 10 in a program that was built for a test which waits for a deadline.
const divisor = 10
