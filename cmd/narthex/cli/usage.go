package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// UsageError is a sentence about a wrong call of a command. It names only commands and flags that exist. It
// never repeats what was typed, which may be a secret in the wrong place.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// NoArguments refuses positional arguments. It applies to every command: all input is given by flags and
// standard input.
func NoArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return UsageError("This command takes flags only; see: " + cmd.CommandPath() + " --help")
	}
	return UsageError("There is no such command" + didYouMean(closestCommand(args[0], cmd.Commands()), cmd))
}

// FlagError returns a sentence about what is wrong with a flag.
func FlagError(cmd *cobra.Command, err error) error {
	unknown, valueless, invalid := &pflag.NotExistError{}, &pflag.ValueRequiredError{},
		&pflag.InvalidValueError{}
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
		typed := "--" + unknown.GetSpecifiedName()
		return UsageError("There is no such flag" + didYouMean(closest(typed, names), cmd))
	case errors.As(err, &valueless):
		return UsageError("--" + valueless.GetFlag().Name + " needs a value; see: " + cmd.CommandPath() + " --help")
	case errors.As(err, &invalid):
		return UsageError("The value of --" + invalid.GetFlag().Name + " is not valid; see: " + cmd.CommandPath() +
			" --help")
	}
	return UsageError("A flag cannot be read; see: " + cmd.CommandPath() + " --help")
}

// didYouMean returns the end of the sentence about an unknown name: the command that was probably meant.
func didYouMean(name string, cmd *cobra.Command) string {
	if name == "" {
		return "; see: " + cmd.CommandPath() + " --help"
	}
	return "; did you mean " + name + "? See: " + cmd.CommandPath() + " --help"
}

// closestCommand also matches the second half of a command's name: "list" stands for modules:list.
func closestCommand(typed string, commands []*cobra.Command) string {
	var names, halves []string
	for _, command := range commands {
		if command.Hidden {
			continue
		}
		if slices.Contains(command.SuggestFor, typed) {
			return command.Name()
		}
		_, half, _ := strings.Cut(command.Name(), ":")
		names, halves = append(names, command.Name()), append(halves, half)
	}
	if name := closest(typed, names); name != "" {
		return name
	}
	if half := closest(typed, halves); half != "" {
		return names[slices.Index(halves, half)]
	}
	return ""
}

// closest returns the name with the smallest edit distance, or "" if that distance is more than a third of
// what was typed.
func closest(typed string, names []string) (best string) {
	fewest := len(typed)/3 + 1
	for _, name := range names {
		if edits := distance(typed, name); edits < fewest {
			best, fewest = name, edits
		}
	}
	return best
}

// distance is the Levenshtein distance: how many bytes have to be inserted, removed or replaced to turn a
// into b. Names have a few dozen bytes. If a is more than twice as long, distance returns at once that the
// two are far apart.
func distance(a, b string) int {
	if len(a) > 2*len(b) {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// ModuleGiven requires --module, and refuses positional arguments.
func ModuleGiven(id *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *id == "" {
			return UsageError("--module is required; see: " + cmd.CommandPath() + " --help")
		}
		return NoArguments(cmd, args)
	}
}
