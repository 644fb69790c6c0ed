package modulelogs

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
)

const (
	mostCallers  = 16
	requestBytes = 256
	requestLimit = 5 * time.Second
	writeLimit   = 10 * time.Second // timeout for a caller that does not read
)

// request is the line that a caller sends.
type request struct {
	Module string `json:"module"`
	Follow bool   `json:"follow"` // continue with later output
}

// line is a line of the response.
type line struct {
	Code Error  `json:"code,omitempty"` // an error; no line follows
	Text []byte `json:"text,omitempty"`
	End  *End   `json:"end,omitempty"`
}

// End is the end of a run. See process.End.
type End struct {
	At   time.Time       `json:"at"`
	Kind process.EndKind `json:"kind"`
	Code *int            `json:"code"`
}

// answer serves one caller until it disconnects or has got everything that it requested.
func (s *Service) answer(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	if user, _, err := peer(conn); err != nil || user != 0 && user != os.Geteuid() {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(requestLimit))
	var asked request
	text, err := bufio.NewReader(io.LimitReader(conn, requestBytes)).ReadBytes('\n')
	if err != nil || json.Unmarshal(text, &asked) != nil {
		return
	}
	journal := s.modules.Journal(asked.Module)
	if journal == nil {
		_ = send(conn, line{Code: ErrNotRunning})
		return
	}
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer hangUp()
		_ = conn.SetReadDeadline(time.Time{})
		_, _ = conn.Read(make([]byte, 1)) // a caller sends nothing more, so Read returns when it disconnects
	}()
	follow(ctx, conn, journal, asked.Follow)
	_ = conn.Close()
	<-gone
}

// follow sends the entries of the journal and, with on, later ones.
func follow(ctx context.Context, conn net.Conn, journal *process.Journal, on bool) {
	if send(conn, line{}) != nil { // a first line without content, because the journal may be empty
		return
	}
	var at process.JournalCursor
	for {
		entries, next, more := journal.Read(at)
		at = next
		for _, entry := range entries {
			l := line{Text: entry.Text}
			if entry.Text == nil {
				l.End = &End{At: entry.End.At, Kind: entry.End.Kind, Code: entry.End.Code}
			}
			if send(conn, l) != nil {
				return
			}
		}
		if !on {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-more:
		}
	}
}

func send(conn net.Conn, l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_ = conn.SetWriteDeadline(time.Now().Add(writeLimit))
	_, err = conn.Write(append(text, '\n'))
	return err
}
