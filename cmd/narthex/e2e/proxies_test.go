package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/porttest"
)

// proxies are nginx and Caddy, with HTTPS, in front of the same platform.
type proxies struct {
	t         *testing.T
	addresses []string // of nginx, then of Caddy
	roots     *x509.CertPool
	browsers  atomic.Int32
}

// addressesOfExamples are the platform's addresses in the files of deploy/proxy.
var addressesOfExamples = []string{"192.0.2.21:3000", "192.0.2.22:3000", "192.0.2.23:3000"}

// startProxies starts both proxies with the configuration of deploy/proxy: with the examples for one process,
// or with those for three.
func startProxies(t *testing.T, backends ...string) *proxies {
	t.Helper()
	folder := sharedFolder(t)
	p := &proxies{t: t, roots: x509.NewCertPool()}
	certificate, key := writeCertificate(t, folder, p.roots)
	nginxPort, caddyPort := strconv.Itoa(porttest.Free(t)), strconv.Itoa(porttest.Free(t))
	p.addresses = []string{"https://localhost:" + nginxPort, "https://localhost:" + caddyPort}
	changes := []string{
		"/etc/letsencrypt/live/church.example.org/fullchain.pem", certificate,
		"/etc/letsencrypt/live/church.example.org/privkey.pem", key,
		"listen 443 ssl http2", "listen 127.0.0.1:" + nginxPort + " ssl http2",
		"listen [::]:443 ssl http2;", "",
		"church.example.org {", "https://localhost:" + caddyPort + " {\n\ttls " + certificate + " " + key,
	}
	nginxExample, caddyExample, examples := "nginx.conf", "Caddyfile", []string{"127.0.0.1:3000"}
	if len(backends) > 1 {
		nginxExample, caddyExample, examples = "several.nginx.conf", "several.Caddyfile", addressesOfExamples
	}
	for n, backend := range backends {
		changes = append(changes, examples[n], backend)
	}
	configure := func(example, before, after string) (path string) {
		text, err := os.ReadFile(filepath.Join(repository, "deploy/proxy", example))
		path = filepath.Join(folder, example)
		if err == nil {
			changed := before + strings.NewReplacer(changes...).Replace(string(text)) + after
			err = os.WriteFile(path, []byte(changed), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	site := configure(nginxExample, "daemon off; master_process off; pid "+folder+"/nginx.pid;\n"+
		"events { worker_connections 4096; }\nhttp {\naccess_log off;\nclient_body_temp_path "+folder+
		"/body;\nproxy_temp_path "+folder+"/proxy;\nfastcgi_temp_path "+folder+"/fastcgi;\nuwsgi_temp_path "+
		folder+"/uwsgi;\nscgi_temp_path "+folder+"/scgi;\n", "}\n")
	p.start("nginx", nginxPort, folder, "-p", folder, "-e", "stderr", "-c", site)
	// Without HTTP/3: porttest holds the UDP port, and no client of these tests speaks it.
	options := "{\nadmin off\nauto_https disable_redirects\nservers {\nprotocols h1 h2\n}\n}\n"
	p.start("caddy", caddyPort, folder, "run", "--adapter", "caddyfile", "--config",
		configure(caddyExample, options, ""))
	return p
}

// start runs a proxy, waits until it accepts connections, and stops it at the end of the test.
func (p *proxies) start(name, port, home string, arguments ...string) {
	p.t.Helper()
	program, err := filepath.Abs(filepath.Join(repository, ".tools", name))
	if err == nil && !isFile(program) {
		program, err = exec.LookPath(name)
	}
	if err != nil {
		p.t.Fatalf("%s is missing: make proxies", name)
	}
	command := exec.Command(program, arguments...)
	command.Env = []string{"HOME=" + home}
	r := startPrepared(p.t, command)
	eventually(p.t, name+" takes connections", func() bool {
		select {
		case <-r.ended:
			p.t.Fatalf("%s ended", name)
		default:
		}
		connection, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	})
}

// useProxies configures the installation's processes for the proxies. Only the address of the proxies is
// trusted, so each browser is counted separately.
func (i *installation) useProxies(p *proxies) {
	i.useProxyAddresses()
	i.environment["SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES"] = "127.0.0.1"
	i.environment["SERVICE_IDENTITY_BASE_URL"] = p.addresses[0]
	i.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = p.addresses[1]
}

// browser returns a visitor through one of the proxies, with a cookie jar and a client address of its own.
func (p *proxies) browser(proxy int) *person {
	n := p.browsers.Add(1)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+n/250), byte(1+n%250))}}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, "tcp4", "127.0.0.1:"+port)
		},
		TLSClientConfig:   &tls.Config{RootCAs: p.roots},
		ForceAttemptHTTP2: true,
	}
	p.t.Cleanup(transport.CloseIdleConnections)
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return &person{t: p.t, address: p.addresses[proxy%len(p.addresses)], transport: transport,
		client: &http.Client{Transport: documented(p.t, transport), Jar: jar, Timeout: patience}}
}

// at returns the same browser, with its cookies, at another proxy.
func (p *proxies) at(proxy int, browser *person) *person {
	other := *browser
	other.address = p.addresses[proxy%len(p.addresses)]
	return &other
}

// writeCertificate creates a certificate for localhost and adds it to roots.
func writeCertificate(t *testing.T, folder string, roots *x509.CertPool) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pattern := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()),
		DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	public, err := x509.CreateCertificate(rand.Reader, pattern, pattern, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(folder, "certificate.pem"), filepath.Join(folder, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public})
	roots.AppendCertsFromPEM(text)
	for path, block := range map[string][]byte{certificate: text,
		key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(path, block, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}
