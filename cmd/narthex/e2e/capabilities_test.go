package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// callCapability calls a capability's method through the module consumer and returns the provider's result,
// or the error code.
func (p *person) callCapability(capability, method, input string) string {
	p.t.Helper()
	got := p.do("POST", "/api/v1/modules/consumer/call/"+capability+"/"+method, strings.NewReader(input))
	if got.status != http.StatusOK {
		p.t.Fatalf("%v: POST %s: status %v, want %v; capability %v; body %.200s",
			method, "/api/v1/modules/consumer/call/"+capability+"/"+method, got.status, http.StatusOK, capability,
			got.body)
	}
	return got.body
}

const absentCode, failedCode = "CAPABILITY_ABSENT", "CAPABILITY_FAILED"

func TestModulesCallEachOther(t *testing.T) {
	t.Parallel()
	i := install(t, "aside", "provider", "consumer")
	r := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	large := `{"text":"` + strings.Repeat("x", 256<<10) + `"}`
	for _, c := range []struct{ name, capability, method, input, want string }{
		{"the provider learns the module and nobody else", "provider.echo", "echo", `{"text":"a","more":1}`,
			`{"caller":"consumer","person":"anonymous","text":"a"}`},
		{"no edge leads back", "provider.echo", "back", `null`, `"CAPABILITY_FAILED"`},
		{"an own capability", "consumer.anything", "echo", `null`, failedCode},
		{"a module that is not declared", "aside.echo", "echo", `null`, failedCode},
		{"an edge to nobody in range", "provider.later", "echo", `null`, absentCode},
		{"not registered", "provider.unkept", "echo", `null`, failedCode},
		{"no such method", "provider.echo", "nothing", `null`, failedCode},
		{"the wrong input", "provider.echo", "echo", `[]`, failedCode},
		{"too much", "provider.echo", "echo", large, failedCode},
		{"too much back", "provider.echo", "large", `null`, failedCode},
		{"an error", "provider.echo", "fail", `null`, failedCode},
		{"a provider that claims to be absent", "provider.echo", "lie", `null`, failedCode},
		{"a panic", "provider.echo", "panic", `null`, failedCode},
		{"a crash", "provider.echo", "exit", `null`, failedCode},
	} {
		if got := owner.callCapability(c.capability, c.method, c.input); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	eventually(t, "the provider is back", func() bool {
		return owner.callCapability("provider.echo", "echo", `{}`) != failedCode
	})

	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		_, _ = owner.doContext(ctx, "POST", "/api/v1/modules/consumer/call/provider.echo/wait",
			strings.NewReader("null"))
	}()
	r.awaitOutput(t, &r.stderr, "provider waits")
	leave()
	<-left
	r.awaitOutput(t, &r.stderr, "provider was left")

	if got := runCommand(t, i.environment, "", "modules:disable", "--", "--module",
		"provider"); got.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("modules:disable failed")
	}
	i.restart(t, r)
	if got := owner.callCapability("provider.echo", "echo", `{}`); got != absentCode {
		t.Errorf("without the provider: %s", got)
	}
}

func TestForgedCapability(t *testing.T) {
	t.Parallel()
	i := install(t, "forging")
	r := runCommand(t, i.environment, "", "api:start")
	if r.awaitExit(t) != cli.ExitFailure || !strings.Contains(r.stderr.String(), "\nMODULE_REGISTER_FAILED: ") ||
		!strings.Contains(r.stderr.String(), `capability \"provider.echo\": it is not among the manifest's `+
			`provides`) {
		t.Error("started")
	}
}
