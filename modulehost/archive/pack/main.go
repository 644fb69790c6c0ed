// Command pack writes module folders as packages: go run ./modulehost/archive/pack -out DIR FOLDER...
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func main() {
	out := flag.String("out", "", "folder to write the packages into")
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: pack -out DIR FOLDER...") }
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	status := 0
	for _, folder := range flag.Args() {
		path, err := archive.Pack(folder, abi.PlatformVersion, *out)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
			continue
		}
		fmt.Println(path)
	}
	os.Exit(status)
}
