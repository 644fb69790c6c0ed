package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	ownerAddress  = "owner@example.org"
	ownerPassword = "correct horse battery"
	cookieName    = "narthex_session"
	signInPath    = "/api/auth/sign-in/email"
)

// clientAddresses numbers the client addresses of sign-ins.
type clientAddresses struct{ last atomic.Uint32 }

// next returns an address of this machine that has not been used for long, because the rate limiter counts
// each address.
func (v *clientAddresses) next() *net.TCPAddr {
	n := v.last.Add(1)
	return &net.TCPAddr{IP: net.IPv4(127, byte(1+n>>16%250), byte(n>>8), byte(n))}
}

// signIn signs the owner in over a new connection and returns the session's cookie.
func (s *system) signIn(ctx context.Context) (cookie string, err error) {
	dialer := net.Dialer{LocalAddr: s.visitors.next()}
	conn, err := dialer.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	body := `{"email":"` + ownerAddress + `","password":"` + ownerPassword + `"}`
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", signInPath, len(body), body)
	if err != nil {
		return "", err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	cookie, _, _ = strings.Cut(response.Header.Get("Set-Cookie"), ";")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(cookie, cookieName+"=") {
		return "", fmt.Errorf("sign-in answered %s", response.Status)
	}
	return cookie, nil
}

// signInPeople creates sessions and returns their cookies as header lines.
func signInPeople(ctx context.Context, s *system, sessions int) (lines []string, err error) {
	for range sessions {
		cookie, err := s.signIn(ctx)
		if err != nil {
			return nil, err
		}
		lines = append(lines, "Cookie: "+cookie)
	}
	return lines, nil
}

// keepSigningIn keeps a number of sign-ins in progress. stop ends that and returns how many were completed
// and the errors.
func (s *system) keepSigningIn(ctx context.Context, atOnce int) (stop func() (done int, err error)) {
	ctx, cancel := context.WithCancel(ctx)
	var (
		people  sync.WaitGroup
		count   atomic.Int64
		mu      sync.Mutex
		failure error
	)
	for range atOnce {
		people.Go(func() {
			for ctx.Err() == nil {
				_, err := s.signIn(ctx)
				switch {
				case err == nil:
					count.Add(1)
				case ctx.Err() == nil:
					mu.Lock()
					defer mu.Unlock()
					failure = errors.Join(failure, err)
					return
				}
			}
		})
	}
	return func() (int, error) {
		done := int(count.Load())
		cancel()
		people.Wait()
		return done, failure
	}
}
