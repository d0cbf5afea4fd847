// Prints the version of a module that a program was built with: version PROGRAM MODULE.
package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: version PROGRAM MODULE")
		os.Exit(2)
	}
	info, err := buildinfo.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	version, err := moduleVersion(info, os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(version)
}

func moduleVersion(info *debug.BuildInfo, path string) (string, error) {
	for _, module := range info.Deps {
		if module.Path == path {
			return module.Version, nil
		}
	}
	return "", fmt.Errorf("the program was built without %s: see its go.mod", path)
}
