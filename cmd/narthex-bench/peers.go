package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// startPeers starts the other programs that were named.
func (all *systems) startPeers(ctx context.Context, programs map[string]*string) error {
	for _, name := range peerNames {
		if *programs[name] == "" {
			continue
		}
		folder := filepath.Join(all.folder, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		s, err := startPeer(ctx, name, *programs[name], folder)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all.peers[name] = s
	}
	return nil
}

// peerScript is where a peer serves a file as long as the module's browser script.
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
  server { listen %[2]s; root %[1]s/public; }
}
`

const mercureSettings = `{
	auto_https off
	admin off
	persist_config off
}
http://%[2]s {
	mercure {
		publisher_jwt %[3]s
		anonymous
		transport local
	}
	respond /healthz 200
}
`

// mercureKey signs what publishes to Mercure here.
const mercureKey = "a-key-of-32-bytes-for-a-benchmark"

// startPeer starts a program with the least configuration for its rows, and waits until it listens.
func startPeer(ctx context.Context, name, program, folder string) (*system, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + port
	public, settings := filepath.Join(folder, "public"), filepath.Join(folder, "settings")
	if err := os.Mkdir(public, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(public, peerScript), browserScript(), 0o644); err != nil {
		return nil, err
	}
	var command *exec.Cmd
	switch name {
	case "nginx":
		if err := os.WriteFile(settings, fmt.Appendf(nil, nginxSettings, folder, address), 0o644); err != nil {
			return nil, err
		}
		command = exec.Command(program, "-p", folder, "-c", settings)
	case "pocketbase":
		command = exec.Command(program, "serve", "--http", address, "--dir", filepath.Join(folder, "data"),
			"--publicDir", public)
	case "mercure":
		if err := os.WriteFile(settings, fmt.Appendf(nil, mercureSettings, folder, address, mercureKey),
			0o644); err != nil {
			return nil, err
		}
		command = exec.Command(program, "run", "--config", settings, "--adapter", "caddyfile")
	}
	command.Dir = folder
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &system{name: name, address: address, command: command, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		_ = command.Wait()
	}()
	within, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(within, "tcp", address)
		if err == nil {
			return s, conn.Close()
		}
		select {
		case <-s.ended:
			said, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("it ended:\n%s", said)
		default:
		}
		if err := wait(within, 10*time.Millisecond); err != nil {
			s.stop()
			return nil, err
		}
	}
}
