package sdktest_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// A module that stores uploads in a bucket.
func ExampleModule_Stored() {
	t := newT() // a test has its own
	defer t.end()
	m := sdktest.Start(t, &posters{}, sdktest.Options{Folder: "testdata/posters"})
	writer := m.Person("posters.write")
	writer.Do("PUT", "/posters/advent", `{"come":"all"}`)
	fmt.Println(m.Stored("images")["advent"].Content)

	writer.Do("DELETE", "/posters/advent", nil)
	fmt.Println(len(m.Stored("images")), "left")
	// Output:
	// {"come":"all"}
	// 0 left
}

// A module that sends an e-mail to the office.
func ExampleModule_Sent() {
	t := newT() // a test has its own
	defer t.end()
	m := sdktest.Start(t, &posters{}, sdktest.Options{Folder: "testdata/posters"})
	m.Person("posters.write").Do("PUT", "/posters/advent", `{"come":"all"}`)
	for _, mail := range m.Sent() {
		fmt.Println(mail.To[0].Address, mail.Subject, mail.Text, mail.HTML, mail.ReplyTo.Address)
	}
	// Output:
	// office@example.org New poster It is called advent. It is called <b>advent</b>. ruth@example.org
}

// A module that reports the result of sending.
func ExampleModule_FailMail() {
	t := newT() // a test has its own
	defer t.end()
	m := sdktest.Start(t, &posters{}, sdktest.Options{Folder: "testdata/posters"})
	writer := m.Person("posters.write")
	m.FailMail(sdk.MailTimeout)
	fmt.Print(writer.Do("PUT", "/posters/advent", `{"come":"all"}`))
	fmt.Println(len(m.Sent()), "sent")
	// Output:
	// 200 "TIMEOUT"
	// 0 sent
}

// A module that publishes to screens.
func ExampleCaller_Subscribe() {
	t := newT() // a test has its own
	defer t.end()
	m := sdktest.Start(t, &posters{}, sdktest.Options{Folder: "testdata/posters"})
	screen := m.Device("posters.view").Subscribe("wall")
	fmt.Println(screen)
	m.Person("posters.write").Do("PUT", "/posters/advent", `{"come":"all"}`)
	fmt.Println(screen.Update())

	fmt.Println(m.Person().Subscribe("wall"))
	// Output:
	// 200 []
	// "advent"
	// 403 {"code":"PERMISSION_DENIED"}
}

// exampleT stands in for the *testing.T that an example does not have.
type exampleT struct {
	testing.TB // nil: a method that is not overridden panics
	ctx        context.Context
	cancel     context.CancelFunc
	cleanups   []func()
}

func newT() *exampleT {
	t := &exampleT{}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

func (t *exampleT) end() {
	t.cancel()
	for _, f := range slices.Backward(t.cleanups) {
		f()
	}
}

func (t *exampleT) Helper()                        {}
func (t *exampleT) Context() context.Context       { return t.ctx }
func (t *exampleT) Cleanup(f func())               { t.cleanups = append(t.cleanups, f) }
func (t *exampleT) Error(args ...any)              { log.Print(args...) }
func (t *exampleT) Fatal(args ...any)              { log.Panic(args...) }
func (t *exampleT) Fatalf(format string, a ...any) { log.Panicf(format, a...) }
