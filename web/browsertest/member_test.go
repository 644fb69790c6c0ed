package browsertest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"
)

// exec runs a statement in the database of narthex dev, as superuser.
func (d *devServer) exec(t *testing.T, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn := d.connect(ctx, t)
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}

// query returns the one value of the one row of a query.
func (d *devServer) query(t *testing.T, statement string, arguments ...any) (value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn := d.connect(ctx, t)
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, statement, arguments...).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// lock lets nobody write into a table until release is called.
func (d *devServer) lock(t *testing.T, table string) (release func()) {
	t.Helper()
	conn := d.connect(t.Context(), t)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for _, statement := range []string{"BEGIN", "LOCK TABLE " + table + " IN SHARE MODE"} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "COMMIT"); err != nil {
			t.Fatal(err)
		}
	}
}

func (d *devServer) connect(ctx context.Context, t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, d.database(t))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// database returns the address of the house's database.
func (d *devServer) database(t *testing.T) string {
	t.Helper()
	cluster := filepath.Join(d.folder, ".dev", "postgresql")
	password, err := os.ReadFile(filepath.Join(cluster, "password"))
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(filepath.Join(cluster, "data", "postmaster.pid")) // the port is in line 4
	if err != nil {
		t.Fatal(err)
	}
	address := url.URL{
		Scheme: "postgres",
		User:   url.UserPassword("narthex", strings.TrimSpace(string(password))),
		Host:   "127.0.0.1:" + strings.Split(string(status), "\n")[3],
		Path:   "/postgres",
	}
	return address.String()
}

// TestMember is walk-throughs 2 and 4 on the real platform: a person whose address is not verified yet, and a
// session store that cannot be read.
func TestMember(t *testing.T) {
	d := start(t)
	d.exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'member@example.org', 'Member', false, password_hash
		FROM core.person`)
	p := openPage(t, d.address, desktop)
	enter := func() {
		t.Helper()
		p.waitForHeading("Sign in")
		p.fill("E-mail", "member@example.org")
		p.fill("Password", d.password)
		p.click("button", "Sign in")
	}
	enter()
	p.waitForText("Confirm your e-mail first")
	if cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{}); err != nil ||
		len(cookies.Cookies) != 0 {
		t.Errorf("cookies before the address is confirmed: %v %v", cookies, err)
	}
	p.click("button", "Send the link again")
	link := d.address + "/?service_auth=verify-email" +
		strings.Fields(d.waitForLine(t, "/?service_auth=verify-email"))[0]
	p.do(chromedp.Navigate(link))
	p.waitForHeading("Confirm your e-mail")
	if path := eval[string](p, "location.href.slice(location.origin.length)"); path != "/" {
		t.Errorf("the address bar shows %s", path)
	}
	d.exec(t, `
		DO $$
		BEGIN
			IF EXISTS (SELECT FROM core.person WHERE name = 'Member' AND email_verified) THEN
				RAISE 'loading the link has confirmed the address';
			END IF;
		END
		$$`)
	p.click("button", "Confirm my e-mail")
	p.waitForText("Confirmed. Sign in.")
	p.click("button", "Sign in")
	enter()
	p.waitForHome()

	d.exec(t, "ALTER TABLE core.session RENAME TO away")
	p.reload()
	p.waitForText("We cannot check who you are right now.")
	p.waitForNone("heading", "Sign in")
	d.exec(t, "ALTER TABLE core.away RENAME TO session")
	p.retry()
	p.find("navigation", "Modules")
}
