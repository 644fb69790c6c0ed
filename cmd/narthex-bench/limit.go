package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
)

const limitArgument = "limit"

const selectPerson = `
SELECT person_id::text
FROM core.session
WHERE token_hash = $1 AND expires_at > now()`

// serveLimit is the least that could respond: bare gin, fixed bytes, and one query where there is a cookie,
// whose signature is not checked.
func serveLimit() {
	pool, err := pgxpool.New(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Println(err)
		return
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET(livePath, func(c *gin.Context) { answerLimit(c, `{"status":"live"}`) })
	engine.GET(principalPath, func(c *gin.Context) {
		cookie, err := c.Cookie(cookieName)
		if err != nil {
			answerLimit(c, `{"kind":"anonymous"}`)
			return
		}
		if person := personOf(c, pool, cookie); person != "" {
			answerLimit(c, `{"kind":"authenticated","userId":"`+person+`"}`)
		}
	})
	limitCalls(engine, func(c *gin.Context) {
		cookie, _ := c.Cookie(cookieName)
		_ = personOf(c, pool, cookie)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready " + listener.Addr().String())
	_ = engine.RunListener(listener)
}

// personOf answers 503 where there is none.
func personOf(c *gin.Context, pool *pgxpool.Pool, cookie string) (person string) {
	encoded, _, _ := strings.Cut(cookie, ".")
	token, _ := base64.RawURLEncoding.DecodeString(encoded)
	hash := sha256.Sum256(token)
	if err := pool.QueryRow(c.Request.Context(), selectPerson, hash[:]).Scan(&person); err != nil {
		c.AbortWithStatus(http.StatusServiceUnavailable)
	}
	return person
}

func answerLimit(c *gin.Context, body string) {
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, "application/json", []byte(body))
}

// startLimit starts this program once more, as the limit. databaseURL is the platform's: both ask the same
// table.
func startLimit(ctx context.Context, databaseURL string) (*system, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, self, limitArgument)
	command.Env = append(os.Environ(), "DATABASE_URL="+databaseURL)
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s, line, err := start(command, output, "ready ")
	if err == nil {
		s.address = strings.TrimPrefix(line, "ready ")
	}
	return s, err
}
