package main

import (
	"runtime/debug"
	"testing"
)

func TestAModuleThatWasNotBuiltInIsAnError(t *testing.T) {
	if version, err := moduleVersion(&debug.BuildInfo{}, "example.org/three"); err == nil {
		t.Fatalf("got %q", version)
	}
}
