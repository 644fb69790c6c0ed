// Command nats is the NATS server of the tests and of narthex-faults: a separate process, which can be frozen
// and killed, and whose libraries the platform's tests do not need. It prints its address on standard error
// once it takes connections, and ends with its standard input, so with the program that started it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// patience is the time for the start, and for a handshake, on a busy machine.
const patience = time.Minute

func main() {
	options := &server.Options{Host: "127.0.0.1", NoLog: true, NoSigs: true}
	flag.IntVar(&options.Port, "port", server.RANDOM_PORT, "the `port`; -1 for any free one")
	flag.StringVar(&options.Username, "username", "", "the `name` that a client has to give")
	flag.StringVar(&options.Password, "password", "", "the `password` that a client has to give")
	flag.IntVar(&options.Cluster.Port, "cluster", 0, "the `port` for other servers; 0: there are none")
	routes := flag.String("routes", "", "the `addresses` of the cluster's servers, separated by commas")
	certificate := flag.String("certificate", "", "a `file` with a certificate: connections use TLS")
	key := flag.String("key", "", "the `file` with the certificate's key")
	flag.Parse()
	if options.Cluster.Port != 0 {
		options.Cluster.Name, options.Cluster.Host = "narthex", "127.0.0.1"
		options.Routes = server.RoutesFromStr(*routes)
	}
	if err := serve(options, *certificate, *key); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(options *server.Options, certificate, key string) (err error) {
	if certificate != "" {
		options.TLS, options.TLSTimeout = true, patience.Seconds()
		options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: certificate, KeyFile: key})
		if err != nil {
			return err
		}
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		return fmt.Errorf("port %d: the server takes no connections", options.Port)
	}
	fmt.Fprintln(os.Stderr, s.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
