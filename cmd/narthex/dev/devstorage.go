package dev

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/johannesboyne/gofakes3"
)

// devStorage is the object storage of a development installation: gofakes3 on a port of its own, which keeps
// its objects in a folder. It verifies no signatures. Its only protection is that other pages in the
// developer's browser do not know the access key.
type devStorage struct {
	listener  net.Listener // on the loopback interface, from the beginning: another dev may start meanwhile
	accessKey string
	objects   devObjects
}

// devObjectStorage creates the service on a port after the platform's, and adds the variables with which the
// platform finds it. The access key is new each time, so no URL outlives the process.
func devObjectStorage(
	ctx context.Context, variables map[string]string, port int, folder string,
) (*devStorage, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", errDevData, err)
	}
	listener, err := listenOn(ctx, uint16(port+1))
	if err != nil {
		return nil, err
	}
	accessKey := rand.Text()
	variables["OBJECT_STORAGE_ENDPOINT"] = "http://" + listener.Addr().String()
	variables["OBJECT_STORAGE_ACCESS_KEY"] = accessKey
	variables["OBJECT_STORAGE_SECRET_KEY"] = rand.Text()
	return &devStorage{listener, accessKey, devObjects(folder)}, nil
}

// String returns the name of the service.
func (d *devStorage) String() string { return "development object storage" }

// Serve serves until ctx ends. Then it closes its connections at once, because the modules have stopped
// before.
func (d *devStorage) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler:           d.requireKey(gofakes3.New(d.objects, gofakes3.WithTimeSkewLimit(0)).Server()),
		ReadHeaderTimeout: 20 * time.Second,
	}
	closed := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = server.Close()
	})
	err := server.Serve(d.listener)
	if ctx.Err() != nil {
		<-closed
	}
	return err
}

// requireKey admits only requests with the access key: those of the platform, and those of browsers with a
// valid URL.
func (d *devStorage) requireKey(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signed := strings.Contains(r.Header.Get("Authorization"), "Credential="+d.accessKey+"/")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !signed && !(reads && d.mayRead(r.URL.Query())) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// mayRead checks the query of a signed URL for reading.
func (d *devStorage) mayRead(query url.Values) bool {
	began, err := time.Parse("20060102T150405Z", query.Get("X-Amz-Date"))
	seconds, notANumber := strconv.ParseUint(query.Get("X-Amz-Expires"), 10, 31)
	return err == nil && notANumber == nil &&
		strings.HasPrefix(query.Get("X-Amz-Credential"), d.accessKey+"/") &&
		time.Now().Before(began.Add(time.Duration(seconds)*time.Second))
}
