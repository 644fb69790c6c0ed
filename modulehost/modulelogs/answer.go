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
	writeLimit   = 10 * time.Second // for a reader that does not read
)

// request is the caller's line.
type request struct {
	Module string `json:"module"`
	Follow bool   `json:"follow"` // go on with what is written from now on
}

// line is one of the answer's.
type line struct {
	Code Error  `json:"code,omitempty"` // nothing else follows
	Text []byte `json:"text,omitempty"`
	End  *End   `json:"end,omitempty"`
}

// End is the end of a run. See process.End.
type End struct {
	At   time.Time       `json:"at"`
	Kind process.EndKind `json:"kind"`
	Code *int            `json:"code"`
}

// answer serves one caller until it hangs up or has what it asked for.
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
		_, _ = conn.Read(make([]byte, 1)) // a caller says nothing more
	}()
	follow(ctx, conn, journal, asked.Follow)
	_ = conn.Close()
	<-gone
}

// follow sends what the journal has, and what comes.
func follow(ctx context.Context, conn net.Conn, journal *process.Journal, on bool) {
	if send(conn, line{}) != nil { // there may be nothing to tell
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
