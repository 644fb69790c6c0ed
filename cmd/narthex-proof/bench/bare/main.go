// Command bare is the smallest server that could do the platform's work. narthex-bench measures it beside the
// platform: plain gin, fixed bytes, and one query if there is a cookie, whose signature is not checked. It is
// a program of its own, so that its start and its memory can be measured, too.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	livePath      = "/api/v1/health/live"
	scriptPath    = "/api/v1/module-ui/calls/1.0.0"
	principalPath = "/api/v1/principal"
	cookieName    = "narthex_session"
)

const selectPerson = `
SELECT person_id::text
FROM core.session
WHERE token_hash = $1 AND expires_at > now()`

func main() {
	pool, err := pgxpool.New(context.Background(), os.Getenv("DATABASE_URL"))
	if err == nil {
		err = pool.Ping(context.Background()) // the platform does not listen without its database, either
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET(livePath, func(c *gin.Context) { answer(c, `{"status":"live"}`) })
	people := sessions{pool}
	engine.GET(principalPath, func(c *gin.Context) {
		cookie, err := c.Cookie(cookieName)
		if err != nil {
			answer(c, `{"kind":"anonymous"}`)
			return
		}
		if person, found := people.find(c, cookie); found {
			answer(c, `{"kind":"authenticated","userId":"`+person+`"}`)
		}
	})
	serveCalls(engine, people)
	serveScript(engine)
	serveStreams(engine)
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready " + listener.Addr().String())
	_ = engine.RunListener(listener)
}

// sessions finds the person of a session.
type sessions struct{ pool *pgxpool.Pool }

// find sends the response itself if no session has the cookie.
func (s sessions) find(c *gin.Context, cookie string) (person string, found bool) {
	encoded, _, _ := strings.Cut(cookie, ".")
	token, _ := base64.RawURLEncoding.DecodeString(encoded)
	hash := sha256.Sum256(token)
	if err := s.pool.QueryRow(c.Request.Context(), selectPerson, hash[:]).Scan(&person); err != nil {
		c.AbortWithStatus(http.StatusServiceUnavailable)
		return "", false
	}
	return person, true
}

// serveCalls serves the same responses as the module calls, for a proxy in front of this server.
func serveCalls(engine *gin.Engine, people sessions) {
	piece := make([]byte, 32<<10)
	calls := engine.Group("/api/v1/modules/calls", func(c *gin.Context) {
		cookie, _ := c.Cookie(cookieName)
		_, _ = people.find(c, cookie)
	})
	calls.GET("/small", func(c *gin.Context) { answer(c, `{"plain":true}`) })
	calls.GET("/plain/:count", func(c *gin.Context) {
		left, _ := strconv.Atoi(c.Param("count"))
		c.Header("Content-Length", strconv.Itoa(left))
		for ; left > 0; left -= len(piece) {
			_, _ = c.Writer.Write(piece[:min(left, len(piece))])
		}
	})
}

func answer(c *gin.Context, body string) {
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, "application/json", []byte(body))
}

// serveScript serves a script of 200 KiB from memory, as the platform serves the module's artifact.
func serveScript(engine *gin.Engine) {
	script := bytes.Repeat([]byte("0123456789abcdef"), 200<<10/16)
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(script))
	engine.GET(scriptPath, func(c *gin.Context) {
		c.Header("Cache-Control", "no-cache")
		c.Header("ETag", tag)
		if c.GetHeader("If-None-Match") == tag {
			c.Status(http.StatusNotModified)
			return
		}
		c.Header("Content-Length", strconv.Itoa(len(script)))
		c.Data(http.StatusOK, "text/javascript; charset=utf-8", script)
	})
}
