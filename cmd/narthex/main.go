// Command narthex is the whole platform in one program: api:start runs it, the other commands serve the person who operates it.
package main

import "os"

func main() {
	dieQuietly()
	program := &program{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		lookup: os.LookupEnv,
	}
	os.Exit(program.run(stopSignals(), os.Args[1:]))
}
