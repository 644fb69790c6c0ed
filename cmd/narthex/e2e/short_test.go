package e2e

import (
	"flag"
	"strings"
	"testing"
)

// shortTests are those that -short runs when -run chooses none: the program starts, stops, says what is wrong
// with its environment, serves its routes to whom they are for, and runs modules. Every other test starts
// several programs, kills them, or waits, and takes seconds of both processors.
var shortTests = []string{
	"TestReadyLine", "TestEverythingWrongAtOnce", "TestInheritedSocketMustBeTCP", "TestBadInput", "TestUsage",
	"TestOwnerCommand", "TestSecondSignalEndsAtOnce", "TestFailedStartHookRollsBack",
	"TestDisabledModuleIsNeverStarted", "TestListAndValidate", "TestValidateReports", "TestMatrix",
	"TestAnnouncementsEndToEnd", "TestGrantOpensARoute", "TestDecisions", "TestConfiguration", "TestChannel",
	"TestReference", "TestCodes", "TestMetricsAreDescribed",
}

// chooseShortTests leaves the other tests out.
func chooseShortTests() {
	chosen := !testing.Short()
	flag.Visit(func(f *flag.Flag) {
		chosen = chosen || f.Name == "test.run" || f.Name == "test.bench" || f.Name == "test.fuzz"
	})
	if chosen {
		return
	}
	if err := flag.Set("test.run", "^("+strings.Join(shortTests, "|")+")$"); err != nil {
		panic(err)
	}
}
