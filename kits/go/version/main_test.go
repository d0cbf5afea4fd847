package main

import (
	"runtime/debug"
	"testing"
)

var info = &debug.BuildInfo{Deps: []*debug.Module{
	{Path: "example.org/one", Version: "v1.0.0"}, {Path: "example.org/two", Version: "v2.3.4"},
}}

func TestFindsTheVersionOfAModule(t *testing.T) {
	version, err := moduleVersion(info, "example.org/two")
	if err != nil || version != "v2.3.4" {
		t.Fatalf("got %q, %v", version, err)
	}
}

func TestAModuleThatWasNotBuiltInIsAnError(t *testing.T) {
	if version, err := moduleVersion(info, "example.org/three"); err == nil {
		t.Fatalf("got %q", version)
	}
}
