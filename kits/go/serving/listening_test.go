package serving

import (
	"net"
	"testing"
)

func TestWorkersShareAPort(t *testing.T) {
	settings := Settings{Host: "127.0.0.1", Workers: 2}
	first, err := listen(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	settings.Port = uint64(first.Addr().(*net.TCPAddr).Port)
	second, err := listen(settings)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

func TestAPortThatIsTakenIsRefused(t *testing.T) {
	settings := Settings{Host: "127.0.0.1", Workers: 1}
	first, err := listen(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	settings.Port = uint64(first.Addr().(*net.TCPAddr).Port)
	if second, err := listen(settings); err == nil {
		second.Close()
		t.Error("it is shared")
	}
}
