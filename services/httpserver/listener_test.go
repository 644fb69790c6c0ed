package httpserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpserver"
)

func TestStopFinishesRequestsUnderWay(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Log: zap.NewNop(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(entered)
			<-release
			_, _ = io.WriteString(w, "whole")
		})})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- listener.Serve(ctx) }()
	<-listener.Ready()

	result := make(chan string, 1)
	transport := &http.Transport{}
	go func() {
		response, err := (&http.Client{Transport: transport}).Get("http://" + listener.Addr().String())
		if err != nil {
			result <- err.Error()
			return
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		result <- string(body)
	}()
	<-entered
	stop()
	for { // wait until the listener is closed, while the request is still in progress
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(release)
	if got := <-result; got != "whole" {
		t.Errorf("the request under way got %q, want \"whole\"", got)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: error %v, want %v", err, context.Canceled)
	}
	transport.CloseIdleConnections()
}

func TestTakenAddressIsACodedFailure(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = httpserver.NewListener(httpserver.ListenerConfig{Address: taken.Addr().String(),
		Handler: http.NotFoundHandler(), Log: zap.NewNop()}).Serve(t.Context())
	if !errors.Is(err, httpserver.ErrListen) {
		t.Fatalf("Serve: error %v, want %v", err, httpserver.ErrListen)
	}
}
