package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// asks calls a method through the taker and returns the provider's answer, or the code.
func (p *person) asks(capability, method, input string) string {
	p.t.Helper()
	got := p.do("POST", "/api/v1/modules/taker/call/"+capability+"/"+method, strings.NewReader(input))
	if got.status != http.StatusOK {
		p.t.Fatalf("%s %s: %d %s", capability, method, got.status, got.body)
	}
	return got.body
}

const absent, failed = "CAPABILITY_ABSENT", "CAPABILITY_FAILED"

func TestModulesCallEachOther(t *testing.T) {
	t.Parallel()
	i := install(t, "aside", "giver", "taker")
	r := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	large := `{"text":"` + strings.Repeat("x", 256<<10) + `"}`
	for _, c := range []struct{ name, capability, method, input, want string }{
		{"the provider learns the module and nobody else", "giver.echo", "echo", `{"text":"a","more":1}`,
			`{"caller":"taker","person":"anonymous","text":"a"}`},
		{"no edge leads back", "giver.echo", "back", `null`, `"CAPABILITY_FAILED"`},
		{"an own capability", "taker.anything", "echo", `null`, failed},
		{"a module that is not declared", "aside.echo", "echo", `null`, failed},
		{"an edge to nobody in range", "giver.later", "echo", `null`, absent},
		{"not registered", "giver.unkept", "echo", `null`, failed},
		{"no such method", "giver.echo", "nothing", `null`, failed},
		{"the wrong input", "giver.echo", "echo", `[]`, failed},
		{"too much", "giver.echo", "echo", large, failed},
		{"too much back", "giver.echo", "large", `null`, failed},
		{"an error", "giver.echo", "fail", `null`, failed},
		{"a provider that claims to be absent", "giver.echo", "lie", `null`, failed},
		{"a panic", "giver.echo", "panic", `null`, failed},
		{"a crash", "giver.echo", "exit", `null`, failed},
	} {
		if got := owner.asks(c.capability, c.method, c.input); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	eventually(t, "the provider is back", func() bool {
		return owner.asks("giver.echo", "echo", `{}`) != failed
	})

	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		_, _ = owner.try(ctx, "POST", "/api/v1/modules/taker/call/giver.echo/wait", strings.NewReader("null"))
	}()
	r.says(t, &r.stderr, "giver waits")
	leave()
	<-left
	r.says(t, &r.stderr, "giver was left")

	if got := run(t, i.environment, "", "modules:disable", "--", "--module",
		"giver"); got.exit(t) != cli.ExitSuccess {
		t.Fatal("modules:disable failed")
	}
	i.restarted(t, r)
	if got := owner.asks("giver.echo", "echo", `{}`); got != absent {
		t.Errorf("without the provider: %s", got)
	}
}

func TestForgedCapability(t *testing.T) {
	t.Parallel()
	i := install(t, "forging")
	r := run(t, i.environment, "", "api:start")
	if r.exit(t) != cli.ExitFailure || !strings.Contains(r.stderr.String(), "\nMODULE_REGISTER_FAILED: ") ||
		!strings.Contains(r.stderr.String(), `capability \"giver.echo\": it is not among the manifest's provides`) {
		t.Error("started")
	}
}
