package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// installWithStorage returns an installation with announcements, an object storage of its own, and a database
// user with the rights that the handbook requires.
func installWithStorage(t *testing.T) (*installation, *storagetest.Server) {
	t.Helper()
	i := keepWith(t, "announcements")
	server := storagetest.New(t)
	i.useObjectStorage("http://" + server.Address)
	return i, server
}

// useHandbookUser gives the installation a database user with the rights that the handbook requires.
func (i *installation) useHandbookUser(t *testing.T) {
	t.Helper()
	address, err := url.Parse(i.environment["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	name := i.db.Settings.Name
	user := "keeper_" + name
	i.db.Exec(t, `CREATE ROLE `+user+` LOGIN CREATEDB PASSWORD 'keeper'`)
	i.db.Exec(t, `ALTER DATABASE `+name+` OWNER TO `+user)
	i.prepareRoles(t)
	address.User = url.UserPassword(user, "keeper")
	i.environment["DATABASE_URL"] = address.String()
}

// prepareRoles runs the functions that make users of modules into the database, as an administrator does.
func (i *installation) prepareRoles(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/postgresql/roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	i.db.Exec(t, string(text))
}

// used holds what exists after use, for comparison.
type used struct {
	screen  string // its cookie
	image   string // id of a picture
	picture []byte
	tables  map[string]string
}

// use fills the installation with data through its routes.
func (i *installation) use(t *testing.T) (u used) {
	t.Helper()
	i.migrateWithOwner(t)
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	i.member(t, "member@example.org")
	u.screen, _ = i.pairScreen(t, owner, 1)
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 640, 360)), nil); err != nil {
		t.Fatal(err)
	}
	u.picture = picture.Bytes()
	var made struct{ ID string }
	uploaded := owner.do("POST", "/api/v1/modules/announcements/images", bytes.NewReader(u.picture))
	if err := json.Unmarshal([]byte(uploaded.body), &made); err != nil || uploaded.status != http.StatusCreated {
		t.Fatalf("upload: status %d, want 201; body %s", uploaded.status, uploaded.body)
	}
	u.image = made.ID
	owner.create(t, 201, slides, map[string]any{"title": "Shared lunch", "imageId": made.ID, "enabled": true})
	daemon.signal(t, syscall.SIGTERM)
	if status := daemon.awaitExit(t); status != cli.ExitSuccess {
		t.Fatalf("api:start ended with %d", status)
	}
	u.tables = i.contents(t)
	return u
}

// contents returns a digest of each table that a backup contains, to compare two states.
func (i *installation) contents(t *testing.T) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, table := range []string{
		"core.person", "core.platform_owner", "core.permission_grant", "core.device", "core.device_permission",
		"core.activity", "core.migration", "module_announcements.slides", "module_announcements.images",
	} {
		var text string
		if err := i.db.Pool(t).QueryRow(t.Context(), `
			SELECT coalesce(md5(string_agg(r::text, chr(10) ORDER BY r::text)), '') FROM `+table+` AS r`,
		).Scan(&text); err != nil {
			t.Fatalf("read %s: %v", table, err)
		}
		found[table] = text
	}
	return found
}

func (i *installation) assertContents(t *testing.T, when string, want map[string]string) {
	t.Helper()
	for table, rows := range i.contents(t) {
		if rows != want[table] {
			t.Errorf("%s the rows of %s are not the same", when, table)
		}
	}
}

// TestBackup backs up an installation in use, verifies the backup, and restores it into an empty database and
// an empty storage. Then the owner signs in with the old password, the screen needs no new code, and the
// picture exists.
func TestBackup(t *testing.T) {
	t.Parallel()
	from, _ := installWithStorage(t)
	u := from.use(t)
	file := filepath.Join(t.TempDir(), "sunday.narthex")
	for _, args := range [][]string{
		{"backup:create", "--", "--to", file},
		{"backup:verify", file},
	} {
		if r := runCommand(t, from.environment, "", args...); r.awaitExit(t) != cli.ExitSuccess {
			t.Fatalf("%s failed: %s", args[0], r.stderr.String())
		}
	}
	from.assertContents(t, "after the backup", u.tables)

	into, _ := installWithStorage(t)
	if r := runCommand(t, into.environment, "", "backup:restore", file); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatalf("backup:restore failed: %s", r.stderr.String())
	}
	into.assertContents(t, "after the restore", u.tables)
	into.start(t)
	owner := into.signIn(t, ownerAddress, ownerPassword)
	if got := owner.do("GET", "/api/v1/modules/announcements/images/"+u.image, nil); got.status != 200 ||
		got.body != string(u.picture) {
		t.Errorf("the picture after the restore: status %d, %d bytes; want 200, %d", got.status, len(got.body),
			len(u.picture))
	}
	screen := into.visitor(t)
	screen.cookie = u.screen
	if got := screen.do("GET", "/api/v1/module-displays/announcements", nil); got.status != 200 {
		t.Errorf("the screen after the restore: status %d, want 200; body %s", got.status, got.body)
	}
	for what, args := range map[string][]string{
		"BACKUP_TARGET_NOT_EMPTY": {"backup:restore", file},
		"BACKUP_INVALID":          {"backup:verify", into.environment["SERVICE_MODULES_DIR"]},
	} {
		r := runCommand(t, into.environment, "", args...)
		if r.awaitExit(t) != cli.ExitFailure || !strings.HasPrefix(r.stderr.String(), what+": ") {
			t.Errorf("%v: exit %d, %s; want 1 and %s", args, r.awaitExit(t), r.stderr.String(), what)
		}
	}
}

// TestBackupKilled kills backup:create, backup:verify and backup:restore at ten points each. What remains is
// never accepted as a backup or as an installation, and the same command then succeeds.
func TestBackupKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it kills thirty commands")
	}
	from, _ := installWithStorage(t)
	u := from.use(t)
	folder := t.TempDir()
	good := filepath.Join(folder, "good.narthex")
	took := from.timed(t, "backup:create", "--to", good)
	const points = 10
	for point := range points {
		file := filepath.Join(folder, "killed.narthex")
		_ = os.Remove(file)
		from.kill(t, took*time.Duration(point+1)/(points+1), "backup:create", "--to", file)
		if _, err := os.Stat(file); err == nil { // the backup was complete before the kill
			from.mustRun(t, "backup:verify", file)
		}
	}
	took = from.timed(t, "backup:verify", good)
	for point := range points {
		from.kill(t, took*time.Duration(point+1)/(points+1), "backup:verify", good)
	}
	from.mustRun(t, "backup:verify", good)
	from.assertNoScratch(t)
	from.assertContents(t, "after the kills", u.tables)

	into, _ := installWithStorage(t)
	took = into.timed(t, "backup:restore", good)
	into.assertContents(t, "after the restore", u.tables)
	for point := range points {
		into, _ := installWithStorage(t)
		into.kill(t, took*time.Duration(point+1)/(points+1), "backup:restore", good)
		status := runCommand(t, into.environment, "", "migrations:status", "--json")
		again := runCommand(t, into.environment, "", "backup:restore", good)
		said, complete := again.stderr.String(), status.awaitExit(t) == cli.ExitSuccess
		switch {
		case again.awaitExit(t) == cli.ExitSuccess:
		case complete && strings.HasPrefix(said, "BACKUP_TARGET_NOT_EMPTY"): // complete before the kill
		default:
			t.Errorf("restore after a kill at point %d: exit %d, %s; want success; migrations:status said %s",
				point, again.awaitExit(t), said, status.stderr.String())
		}
		into.assertContents(t, "after a restore that was killed and run again", u.tables)
	}
}

// TestBackupOnAFullDisk: a backup that does not fit on the disk leaves no files.
func TestBackupOnAFullDisk(t *testing.T) {
	t.Parallel()
	from, _ := installWithStorage(t)
	from.use(t)
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=48k"); err != nil {
		t.Skip("only root can mount a small disk here")
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	r := runCommand(t, from.environment, "", "backup:create", "--to", filepath.Join(folder, "sunday.narthex"))
	if r.awaitExit(t) != cli.ExitFailure || !strings.HasPrefix(r.stderr.String(), "BACKUP_FAILED: ") {
		t.Errorf("backup:create on a full disk: exit %d, %s; want 1 and BACKUP_FAILED", r.awaitExit(t),
			r.stderr.String())
	}
	left, err := os.ReadDir(folder)
	for _, entry := range left {
		if !strings.HasSuffix(entry.Name(), ".erased") {
			t.Errorf("left on the disk: %s", entry.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func (i *installation) mustRun(t *testing.T, args ...string) {
	t.Helper()
	if r := runCommand(t, i.environment, "", args...); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatalf("%v failed: %s", args, r.stderr.String())
	}
}

// timed runs a command and returns how long it took.
func (i *installation) timed(t *testing.T, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	i.mustRun(t, args...)
	return time.Since(began)
}

// kill starts a command and kills it after the given time.
func (i *installation) kill(t *testing.T, after time.Duration, args ...string) {
	t.Helper()
	r := startCommand(t, i.environment, "", args...)
	select {
	case <-r.ended:
	case <-time.After(after): // the point of the kill; the test waits for nothing here
		_ = r.command.Process.Kill()
		<-r.ended
	}
}

func (i *installation) assertNoScratch(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var found []string
	if err := i.db.Pool(t).QueryRow(ctx, `
		SELECT array(SELECT datname::text FROM pg_database
		             WHERE datname LIKE 'scratch%' AND pg_get_userbyid(datdba) = $1
		             UNION ALL
		             SELECT rolname::text FROM pg_roles
		             WHERE rolname LIKE 'scratch%' AND pg_has_role($1, oid, 'MEMBER'))`,
		"keeper_"+i.db.Settings.Name).Scan(&found); err != nil || len(found) > 0 {
		t.Errorf("left behind: %v, %v", found, err)
	}
}

// TestNightlyBackup: the script keeps the newest seven verified backups, and deletes none if the new one
// cannot be verified. Doctor, the metrics and administrators see the result.
func TestNightlyBackup(t *testing.T) {
	t.Parallel()
	i, _ := installWithStorage(t)
	i.migrateWithOwner(t)
	program, err := binaryFor([]string{"backup:create"})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for day := range 9 {
		for _, suffix := range []string{"", ".erased"} {
			name := fmt.Sprintf("2026-01-%02d-030000.narthex%s", day+1, suffix)
			if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	night := func() ([]byte, error) {
		command := exec.Command("../../../deploy/backup/nightly")
		command.Env = append(newCommand(t, i.environment, "backup:create").Env, "NARTHEX="+program,
			"NARTHEX_BACKUPS="+folder)
		return command.CombinedOutput()
	}
	assertBackups := func(when string, want int, newest bool) {
		t.Helper()
		kept, err := filepath.Glob(filepath.Join(folder, "20*.narthex"))
		lists, _ := filepath.Glob(filepath.Join(folder, "20*.erased"))
		if err != nil || len(kept) != want || len(lists) != want {
			t.Errorf("%s there are %d backups and %d lists, want %d", when, len(kept), len(lists), want)
		}
		if info, err := os.Stat(kept[len(kept)-1]); err != nil || (info.Size() > 1000) != newest {
			t.Errorf("%s the newest has %d bytes, %v", when, info.Size(), err)
		}
	}
	assertDoctor := func(want string) {
		t.Helper()
		if r := runCommand(t, i.environment, "", "doctor"); !strings.Contains(r.stdout.String(), want) {
			t.Errorf("doctor says\n%s\nwant %q", r.stdout.String(), want)
		}
	}
	assertDoctor("BACKUP_NOT_VERIFIED: No backup has been proven yet")

	user := "keeper_" + i.db.Settings.Name
	i.db.Exec(t, `ALTER ROLE `+user+` NOCREATEDB`)
	if said, err := night(); err == nil || !strings.Contains(string(said), "SCRATCH_DATABASE_UNAVAILABLE") {
		t.Errorf("without the right to create databases: %v\n%s", err, said)
	}
	assertBackups("after a night without a proof", 9, false)
	assertDoctor("BACKUP_NOT_VERIFIED: The latest backup is not good: SCRATCH_DATABASE_UNAVAILABLE")

	i.db.Exec(t, `ALTER ROLE `+user+` CREATEDB`)
	if said, err := night(); err != nil {
		t.Errorf("a night: %v\n%s", err, said)
	}
	assertBackups("after a good night", 7, true)
	assertDoctor("Backup: the latest one was proven")
}
