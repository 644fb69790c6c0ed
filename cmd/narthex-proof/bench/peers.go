package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// startPeers starts the peers whose programs were given.
func (all *systems) startPeers(ctx context.Context, programs map[string]*string) error {
	for _, name := range peerNames {
		if *programs[name] == "" {
			continue
		}
		folder := filepath.Join(all.folder, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		program, err := filepath.Abs(*programs[name]) // absolute, because it runs in a folder of its own
		if err != nil {
			return err
		}
		s, err := all.startPeer(ctx, name, program, folder)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all.peers[name] = s
	}
	return nil
}

// peerScript is the path at which a peer serves a file of the same length as the module's browser script.
const peerScript = "/script.js"

const nginxSettings = `
daemon off; master_process off; error_log stderr warn; pid %[1]s/pid;
events { worker_connections 8192; }
http {
  types { text/javascript js; }
  access_log off; sendfile on; tcp_nopush on; etag on; open_file_cache max=16;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  keepalive_requests 100000000;
  upstream bare { server %[3]s; keepalive 64; keepalive_requests 100000000; }
  server {
    listen %[2]s; root %[1]s/public;
    location = /api/v1/principal {
      default_type application/json; add_header Cache-Control no-store; return 200 '{"kind":"anonymous"}';
    }
    location /api/v1/modules/ {
      proxy_pass http://bare; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_buffer_size 64k; proxy_buffers 4 64k;
    }
  }
}
`

// scriptTime is the modification time of nginx's file, from which nginx makes its ETag.
var scriptTime = time.Unix(1_700_000_000, 0)

func nginxTag() string { return fmt.Sprintf(`"%x-%x"`, scriptTime.Unix(), len(browserScript())) }

const mercureSettings = `{
	auto_https off
	admin off
	persist_config off
}
http://%[1]s {
	mercure {
		publisher_jwt %[2]s
		anonymous
		transport local
	}
	respond /healthz 200
}
`

// pocketbaseHealth is the only route that an empty PocketBase serves without a database query.
const pocketbaseHealth = "/api/health"

// mercureKey signs the tokens of publishers to Mercure.
const mercureKey = "a-key-of-32-bytes-for-a-benchmark"

// startPeer starts a program with the minimal configuration for its rows, and waits until it listens.
func (all *systems) startPeer(ctx context.Context, name, program, folder string) (*system, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + port
	public, settings := filepath.Join(folder, "public"), filepath.Join(folder, "settings")
	script := filepath.Join(public, peerScript)
	if err := errors.Join(os.Mkdir(public, 0o755), os.WriteFile(script, browserScript(), 0o644),
		os.Chtimes(script, scriptTime, scriptTime)); err != nil {
		return nil, err
	}
	s := &system{name: name, address: address, ended: make(chan struct{})}
	switch name {
	case nginx:
		err = os.WriteFile(settings, fmt.Appendf(nil, nginxSettings, folder, address, all.bare.address), 0o644)
		s.command = exec.Command(program, "-p", folder, "-c", settings)
		s.behind, s.cookies = all.bare, all.bare.cookies
	case pocketbase:
		err = errors.Join(createPocketbase(ctx, program, folder), createPocketbase(ctx, program, beside(folder)),
			writeHooks(filepath.Join(folder, "hooks")))
		s.command, s.alive, s.again = servePocketbase(program, address, folder), pocketbaseHealth,
			func(int) (*exec.Cmd, string, error) { return pocketbaseAgain(program, folder) }
	case mercure:
		s.command, err = runMercure(program, folder, address)
		s.channel, s.alive = mercureChannel(address), "/healthz"
		s.again = func(int) (*exec.Cmd, string, error) { return mercureAgain(program, folder) }
	}
	if err != nil {
		return nil, err
	}
	s.command.Dir = folder
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.command.Stdout, s.command.Stderr = log, log
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.ended)
		_ = s.command.Wait()
	}()
	err = s.listens(ctx, log.Name())
	if err == nil && name == pocketbase {
		var person string
		person, err = fillPocketbase(ctx, address)
		s.cookies = slices.Repeat([]string{person}, connections)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// listens waits until the system listens.
func (s *system) listens(ctx context.Context, log string) error {
	within, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(within, "tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.ended:
			said, _ := os.ReadFile(log)
			return fmt.Errorf("it ended:\n%s", said)
		default:
		}
		if err := wait(within, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// beside returns the folder of a server's second start.
func beside(folder string) string { return filepath.Join(folder, "beside") }

// createPocketbase creates a database with a superuser. Without one, each start would open a browser.
func createPocketbase(ctx context.Context, program, folder string) error {
	command := exec.CommandContext(ctx, program, "superuser", "upsert", ownerAddress, ownerPassword,
		"--dir", filepath.Join(folder, "data"))
	command.Dir = filepath.Dir(folder)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// servePocketbase turns off the development mode, which PocketBase assumes in a temporary folder.
func servePocketbase(program, address, folder string) *exec.Cmd {
	return exec.Command(program, "serve", "--http", address, "--dir", filepath.Join(folder, "data"),
		"--publicDir", filepath.Join(folder, "public"), "--hooksDir", filepath.Join(folder, "hooks"), "--dev=false")
}

// writeHooks writes PocketBase's twin of the module that bench has in two languages.
func writeHooks(folder string) error {
	text, err := os.ReadFile(twinSources + "twin.pb.js")
	return errors.Join(err, os.Mkdir(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "twin.pb.js"), text, 0o644))
}

// pocketbaseAgain returns the command of a second PocketBase with a database of its own.
func pocketbaseAgain(program, folder string) (*exec.Cmd, string, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	copied, err := copyProgram(program, filepath.Join(folder, "again"))
	address := "127.0.0.1:" + port
	return servePocketbase(copied, address, beside(folder)), address, err
}

func runMercure(program, folder, address string) (*exec.Cmd, error) {
	settings := filepath.Join(folder, "settings")
	return exec.Command(program, "run", "--config", settings, "--adapter", "caddyfile"),
		os.WriteFile(settings, fmt.Appendf(nil, mercureSettings, address, mercureKey), 0o644)
}

func mercureAgain(program, folder string) (*exec.Cmd, string, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	address := "127.0.0.1:" + port
	err = os.MkdirAll(beside(folder), 0o755)
	copied, failure := copyProgram(program, filepath.Join(folder, "again"))
	command, unwritten := runMercure(copied, beside(folder), address)
	return command, address, errors.Join(err, failure, unwritten)
}

// posting is the number of connections on which Mercure receives updates, each in a request of its own.
const posting = 16

// mercureChannel returns a topic of Mercure.
func mercureChannel(address string) *channel {
	const path = "/.well-known/mercure"
	token := mercureToken()
	post := func(ctx context.Context, client *http.Client) error {
		data := fmt.Sprintf(`{"at":%d,"padding":"%s"}`, time.Now().UnixNano(), strings.Repeat("x", 200))
		form := url.Values{"topic": {"pulse"}, "type": {"update"}, "data": {data}}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path,
			strings.NewReader(form.Encode()))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Authorization", "Bearer "+token)
		return succeed(client, request)
	}
	publish := func(ctx context.Context, client *http.Client, count int) error {
		failures := make(chan error, posting)
		for i := range posting {
			go func() {
				var err error
				for n := i; n < count && err == nil; n += posting {
					err = post(ctx, client)
				}
				failures <- err
			}()
		}
		var failed error
		for range posting {
			failed = errors.Join(failed, <-failures)
		}
		return failed
	}
	return &channel{path + "?topic=pulse", []byte("\r\n\r\n"), publish} // Mercure sends no snapshot
}

// mercureToken returns a token that allows publishing to every topic.
func mercureToken() string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		encode([]byte(`{"mercure":{"publish":["*"]}}`))
	mac := hmac.New(sha256.New, []byte(mercureKey))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}
