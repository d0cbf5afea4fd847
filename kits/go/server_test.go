package kit

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestWithACertificateAndItsKeyItSpeaksTLS(t *testing.T) {
	certFile, keyFile := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go Server{certFile: certFile, keyFile: keyFile}.serveOn(listener)
	connection, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()
}

func TestAWrongVariableOfAServerIsNamed(t *testing.T) {
	for reason, values := range map[string]map[string]string{
		"PORT is not set":              {},
		`PORT is "65536": give `:       {"PORT": "65536"},
		`COMPRESSION is "gzip": give `: {"PORT": "1", "COMPRESSION": "gzip"},
		`TLS_CERT is "missing": give `: {"PORT": "1", "TLS_CERT": "missing"},
	} {
		wrong := given(values)
		readServer(wrong)
		if wrong.err == nil || !strings.HasPrefix(wrong.err.Error(), reason) {
			t.Errorf("got %v instead of %s", wrong.err, reason)
		}
	}
}

// certificate writes the certificate of the standard library's test server, and its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	certFile, keyFile = t.TempDir()+"/certificate.pem", t.TempDir()+"/key.pem"
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	writePEM(t, server.TLS.Certificates[0], certFile, keyFile)
	return certFile, keyFile
}

func writePEM(t *testing.T, made tls.Certificate, certFile, keyFile string) {
	keyBytes, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: made.Certificate[0]},
		keyFile:  {Type: "PRIVATE KEY", Bytes: keyBytes},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
