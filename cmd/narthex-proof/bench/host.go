package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
)

const hostArgument = "host"

// serveHost runs the platform with the handlers of testdata/calls inside it, at the same paths. The
// difference to a call through the module is the cost of the module's process.
func serveHost() error {
	settings, err := environment.Load(os.LookupEnv, environment.Everything)
	if err != nil {
		return err
	}
	s := platform.NewServer(settings, platform.Secrets{Lookup: os.LookupEnv}, zap.NewNop())
	if err := s.Start(context.Background()); err != nil {
		return err
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes: append(s.Routes(), inside()...), TrustedOrigins: []environment.Origin{settings.Identity.BaseURL},
		ClientAddress: clientaddress.New(settings.ClientAddress), Resolver: s.Resolver(),
		Authorizer: s.Authorization, Log: zap.NewNop(),
	})
	if err != nil {
		return err
	}
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler,
		Log: zap.NewNop()})
	go func() {
		<-listener.Ready()
		fmt.Println("ready " + listener.Addr().String())
	}()
	return listener.Serve(context.Background())
}

// inside returns the handlers of testdata/calls.
func inside() []httpapi.Route {
	piece := make([]byte, 32<<10)
	read := func(path string, handle httpapi.Handler) httpapi.Route {
		return httpapi.Route{Method: "GET", Path: callsPath + path, Permission: "calls.use", Handle: handle}
	}
	write := func(path string, max int64, handle httpapi.Handler) httpapi.Route {
		return httpapi.Route{Method: "POST", Path: callsPath + path, Permission: "calls.use",
			Origin: httpapi.TrustedOrigin, Body: httpapi.DeclaredBody, MaxBody: max, Handle: handle}
	}
	return []httpapi.Route{
		read("/small", func(c *httpapi.Call) error {
			c.Writer.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(c.Writer, `{"plain":true}`)
			return err
		}),
		read("/plain/{count}", func(c *httpapi.Call) error {
			left, _ := strconv.Atoi(c.Parameter("count"))
			c.Writer.Header().Set("Content-Length", strconv.Itoa(left))
			for ; left > 0; left -= len(piece) {
				_, _ = c.Writer.Write(piece[:min(left, len(piece))])
			}
			return nil
		}),
		write("/count", 1<<20, func(c *httpapi.Call) error {
			body, err := c.ReadBody()
			fmt.Fprint(c.Writer, len(body))
			return err
		}),
		write("/stream", 32<<20, func(c *httpapi.Call) error {
			n, err := io.Copy(io.Discard, http.MaxBytesReader(c.Writer, c.Request.Body, 32<<20))
			fmt.Fprint(c.Writer, n)
			return err
		}),
	}
}
