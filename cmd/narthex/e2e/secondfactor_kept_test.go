package e2e

import (
	"maps"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestSecondFactorSurvivesARestore: passkeys and recovery codes are in a backup, and a sign-in that waited is
// not. After a restore under the same origin they sign in; under another one the passkey does not.
func TestSecondFactorSurvivesARestore(t *testing.T) {
	t.Parallel()
	from := keepWith(t)
	from.migrateWithOwner(t)
	daemon := from.start(t)
	owner := from.signIn(t, ownerAddress, ownerPassword)
	key, _, codes := owner.addPasskey(t, from.address)
	waits := from.visitor(t).begin(t, ownerAddress, ownerPassword)
	waits.must(t, "POST", factorPath+"/options", object{})
	file := filepath.Join(t.TempDir(), "sunday.narthex")
	from.mustRun(t, "backup:create", "--", "--to", file)
	daemon.signal(t, syscall.SIGTERM)
	daemon.awaitExit(t)

	into := keepWith(t)
	into.mustRun(t, "backup:restore", file)
	elsewhere := &installation{db: into.db, address: into.address, environment: maps.Clone(into.environment)}
	into.environment["SERVICE_IDENTITY_BASE_URL"] = from.address
	into.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = into.address
	daemon = into.start(t)
	got := waits.at(into.address).do("POST", factorPath, object{"recoveryCode": codes[0]})
	if got.status != 403 {
		t.Errorf("the sign-in that waited: %d %s, want 403", got.status, got.body)
	}
	if got := into.visitor(t).begin(t, ownerAddress, ownerPassword).use(t, key); got.status != 200 {
		t.Errorf("the passkey: %d %s, want 200", got.status, got.body)
	}
	code := into.visitor(t).begin(t, ownerAddress, ownerPassword)
	if got := code.do("POST", factorPath, object{"recoveryCode": codes[0]}); got.status != 200 {
		t.Errorf("a recovery code: %d %s, want 200", got.status, got.body)
	}
	daemon.signal(t, syscall.SIGTERM)
	daemon.awaitExit(t)

	elsewhere.environment["SERVICE_IDENTITY_BASE_URL"] = strings.Replace(into.address, "localhost",
		"elsewhere.localhost", 1)
	elsewhere.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = into.address
	elsewhere.start(t)
	if got := elsewhere.visitor(t).begin(t, ownerAddress, ownerPassword).use(t, key); got.status != 403 {
		t.Errorf("the passkey under another host name: %d %s, want 403", got.status, got.body)
	}
}

// TestSecondFactorOfAnErasedPerson: one's own export names the passkeys and nothing that opens anything, and
// an erasure leaves nothing of them.
func TestSecondFactorOfAnErasedPerson(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.useProxyAddresses()
	i.start(t)
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	i.db.Exec(t, `INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'member@example.org', 'Member', true, password_hash FROM core.person`)
	member := i.visitorFrom(t, 2).signInAs(t, "member@example.org")
	id := member.userID(t)
	_, _, codes := member.addPasskey(t, i.address)
	i.visitorFrom(t, 3).begin(t, "member@example.org", ownerPassword).
		do("POST", factorPath, object{"recoveryCode": "x"})
	export := member.must(t, "GET", "/api/v1/account/export", nil)
	if !strings.Contains(export, `"passkeys":[{`) || !strings.Contains(export, `"Phone"`) ||
		strings.Contains(export, codes[0]) || strings.Contains(export, "public_key") ||
		strings.Contains(export, "publicKey") {
		t.Errorf("the export is %s, want the passkey's name, and neither keys nor codes", export)
	}
	count := func() (n int) {
		t.Helper()
		err := i.db.Pool(t).QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM core.passkey) + (SELECT count(*) FROM core.recovery_code)
				+ (SELECT count(*) FROM core.pending_sign_in) + (SELECT count(*) FROM core.second_factor_failure)
				+ (SELECT count(*) FROM core.person WHERE has_passkey)`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 1+10+1+1+1 {
		t.Errorf("%d rows before the erasure, want 14", n)
	}
	owner.create(t, 200, "/api/v1/people/"+id+"/deactivate", object{})
	owner.create(t, 200, "/api/v1/people/"+id+"/erase", object{})
	if n := count(); n != 0 {
		t.Errorf("%d rows after the erasure, want none", n)
	}
}

// TestDoctorOnTheOwnersSecondFactor: doctor warns when the house asks its administrators for a second factor
// and the owner has none.
func TestDoctorOnTheOwnersSecondFactor(t *testing.T) {
	t.Parallel()
	i := install(t)
	warned := func() bool {
		t.Helper()
		r := runCommand(t, i.environment, "", "doctor")
		if r.awaitExit(t) == cli.ExitUsage {
			t.Fatalf("doctor: %s", r.stderr.String())
		}
		return strings.Contains(r.stdout.String()+r.stderr.String(), "OWNER_WITHOUT_SECOND_FACTOR")
	}
	assert := func(when string, want bool) {
		t.Helper()
		if got := warned(); got != want {
			t.Errorf("%s: doctor warns: %v, want %v", when, got, want)
		}
	}
	assert("at first", false)
	i.db.Exec(t, `UPDATE core.house SET second_factor = 'administrators'`)
	assert("when the house asks", true)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	owner.addPasskey(t, i.address)
	assert("when the owner has a passkey", false)
}
