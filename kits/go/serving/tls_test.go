package serving

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWithACertificateAndItsKeyItSpeaksTLS(t *testing.T) {
	certificateFile, keyFile, authorities := makeCertificate(t)
	settings, err := read(map[string]string{
		"PORT": "8008", "TLS_CERT": certificateFile, "TLS_KEY": keyFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	settings.Port = 0
	listener, err := listen(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go serveOn(listener, settings, http.HandlerFunc(
		func(response http.ResponseWriter, _ *http.Request) { io.WriteString(response, "hello") }))

	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	response, err := client.Get("https://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "hello" {
		t.Errorf("got %q, %v", body, err)
	}
}

// makeCertificate writes a self-signed certificate of this host and its key.
func makeCertificate(t *testing.T) (certificateFile, keyFile string, authorities *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:         true,

		BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyBytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	certificateFile = writePEM(t, folder, "CERTIFICATE", certificate)
	keyFile = writePEM(t, folder, "PRIVATE KEY", keyBytes)
	authorities = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	authorities.AddCert(parsed)
	return certificateFile, keyFile, authorities
}

func writePEM(t *testing.T, folder, kind string, content []byte) string {
	file := filepath.Join(folder, kind+".pem")
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
