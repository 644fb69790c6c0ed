package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/waittest"
)

// webDriver controls a browser by the commands of WebDriver. Firefox takes them itself on a socket, so that
// it needs no second program; WebKitGTK has the program WebKitWebDriver, which takes them over HTTP.
type webDriver struct {
	t    *testing.T
	send func(command string, parameters object) (json.RawMessage, error)
}

// startWebDriver starts the engine "firefox" or "webkit".
func startWebDriver(t *testing.T, engine string) *webDriver {
	t.Helper()
	b := &webDriver{t: t}
	if engine == "firefox" {
		b.send = startFirefox(t, "")
	} else {
		b.send = startWebKit(t)
	}
	return b
}

// startProgram starts a program in a folder of its own, with its output in a file, and ends it
// after the test.
func startProgram(t *testing.T, folder, name string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%v: make proof installs it", err)
	}
	command := exec.Command(path, arguments...)
	// The fonts of the system: those of the suite are for its own Chromium.
	command.Env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "FONTCONFIG_")
	}), "HOME="+folder, "LC_ALL=C.UTF-8")
	output, err := os.Create(filepath.Join(folder, filepath.Base(name)+".log"))
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = output, output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		ended := time.AfterFunc(patience, func() { _ = command.Process.Kill() })
		_ = command.Wait()
		ended.Stop()
		_ = output.Close()
	})
}

// waitForFile waits until a program has written a file, and returns what is in it.
func waitForFile(t *testing.T, path string) string {
	t.Helper()
	var text []byte
	waittest.Until(t, path+" is there", func() bool {
		text, _ = os.ReadFile(path)
		return len(text) > 0
	})
	return strings.TrimSpace(string(text))
}

// startFirefox speaks Marionette, Firefox's own form of WebDriver: "length:[0,id,command,parameters]". It
// starts Firefox with more preferences.
func startFirefox(t *testing.T, more string) func(string, object) (json.RawMessage, error) {
	t.Helper()
	folder := t.TempDir()
	const preferences = `user_pref("marionette.port", 0);
		user_pref("intl.accept_languages", "en-GB");
		user_pref("intl.locale.requested", "en-GB");
		user_pref("app.update.enabled", false);
		user_pref("network.captive-portal-service.enabled", false);
		user_pref("browser.shell.checkDefaultBrowser", false);`
	if err := os.WriteFile(filepath.Join(folder, "user.js"), []byte(preferences+more), 0o600); err != nil {
		t.Fatal(err)
	}
	startProgram(t, folder, "firefox-esr", "--headless", "--marionette", "--remote-allow-system-access",
		"--no-remote", "--profile", folder)
	port := waitForFile(t, filepath.Join(folder, "MarionetteActivePort"))
	connection, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	reader := bufio.NewReader(connection)
	receive := func() (json.RawMessage, error) {
		length, err := reader.ReadString(':')
		if err != nil {
			return nil, err
		}
		size, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
		if err != nil {
			return nil, err
		}
		message := make([]byte, size)
		_, err = io.ReadFull(reader, message)
		return message, err
	}
	if _, err := receive(); err != nil { // it begins with what it is
		t.Fatal(err)
	}
	send := func(command string, parameters object) (json.RawMessage, error) {
		_ = connection.SetDeadline(time.Now().Add(patience))
		message, err := json.Marshal([]any{0, 1, command, parameters})
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(connection, "%d:%s", len(message), message); err != nil {
			return nil, err
		}
		received, err := receive()
		if err != nil {
			return nil, err
		}
		var parts []json.RawMessage // 1, id, error or null, result
		if err := json.Unmarshal(received, &parts); err != nil || len(parts) != 4 {
			return nil, fmt.Errorf("%s: %s %w", command, received, err)
		}
		if string(parts[2]) != "null" {
			return nil, errors.New(string(parts[2]))
		}
		return parts[3], nil
	}
	if _, err := send("WebDriver:NewSession", object{}); err != nil {
		t.Fatal(err)
	}
	return func(command string, parameters object) (json.RawMessage, error) {
		result, err := send("WebDriver:"+command, parameters)
		if err != nil {
			return nil, err
		}
		var value struct{ Value json.RawMessage }
		if json.Unmarshal(result, &value) == nil && value.Value != nil {
			return value.Value, nil
		}
		return result, nil
	}
}

// startWebKit starts WebKitGTK's small browser through its WebDriver, on a screen of its own.
func startWebKit(t *testing.T) func(string, object) (json.RawMessage, error) {
	t.Helper()
	folder := t.TempDir()
	screen := filepath.Join(folder, "screen")
	startProgram(t, folder, "sh", "-c",
		`exec Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$0"`, screen)
	t.Setenv("DISPLAY", ":"+waitForFile(t, screen))
	listener, err := net.Listen("tcp", "127.0.0.1:0") // WebKitWebDriver does not say which port it chose
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	_, port, _ := net.SplitHostPort(address)
	startProgram(t, folder, "WebKitWebDriver", "--port="+port, "--host=127.0.0.1")
	browsers, _ := filepath.Glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
	if len(browsers) == 0 {
		t.Fatal("WebKitGTK's MiniBrowser is missing: make proof installs it")
	}
	request := func(method, path string, body object) (json.RawMessage, error) {
		sent := io.Reader(http.NoBody)
		if method == "POST" {
			sent = strings.NewReader(jsonOf(t, body))
		}
		r, err := http.NewRequest(method, "http://"+address+path, sent)
		if err != nil {
			return nil, err
		}
		r.Close = true
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		received, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		var value struct{ Value json.RawMessage }
		if err := json.Unmarshal(received, &value); err != nil || response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", path, received)
		}
		return value.Value, nil
	}
	session := object{"capabilities": object{"alwaysMatch": object{"webkitgtk:browserOptions": object{
		"binary": browsers[len(browsers)-1],
		"args":   []string{"--automation", "--enable-write-console-messages-to-stdout=true"},
	}}}}
	var opened struct{ SessionID string }
	var created json.RawMessage
	waittest.Until(t, "the driver begins a session", func() bool {
		created, err = request("POST", "/session", session)
		return err == nil
	})
	if err := json.Unmarshal(created, &opened); err != nil {
		t.Fatal(err)
	}
	root := "/session/" + opened.SessionID
	t.Cleanup(func() { _, _ = request("DELETE", root, nil) })
	return func(command string, parameters object) (json.RawMessage, error) {
		id, _ := parameters["id"].(string)
		switch command {
		case "Navigate":
			return request("POST", root+"/url", parameters)
		case "ExecuteScript":
			return request("POST", root+"/execute/sync", parameters)
		case "ElementClick":
			return request("POST", root+"/element/"+id+"/click", object{})
		case "ElementSendKeys":
			return request("POST", root+"/element/"+id+"/value", parameters)
		case "ElementClear":
			return request("POST", root+"/element/"+id+"/clear", object{})
		case "TakeScreenshot":
			return request("GET", root+"/screenshot", nil)
		}
		return nil, fmt.Errorf("no command %s", command)
	}
}

func (b *webDriver) goTo(address string) {
	b.t.Helper()
	if _, err := b.send("Navigate", object{"url": address}); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of an expression as JSON.
func (b *webDriver) eval(expression string) (json.RawMessage, error) {
	return b.send("ExecuteScript", object{"script": "return " + expression, "args": []any{}})
}

// element returns the id of the element that an expression gives.
func (b *webDriver) element(expression string) (string, error) {
	found, err := b.eval(expression)
	if err != nil {
		return "", err
	}
	var element map[string]string
	if err := json.Unmarshal(found, &element); err != nil || len(element) != 1 {
		return "", fmt.Errorf("%s is %s", expression, found)
	}
	for _, id := range element {
		return id, nil
	}
	return "", nil
}

func (b *webDriver) click(expression string) error {
	id, err := b.element(`((element) => {
		element.scrollIntoView({ block: "center" });
		return element;
	})(` + expression + `)`)
	if err == nil {
		_, err = b.send("ElementClick", object{"id": id})
	}
	return err
}

func (b *webDriver) enter(expression, text string) error {
	id, err := b.element(expression)
	if err == nil {
		_, err = b.send("ElementClear", object{"id": id})
	}
	if err == nil {
		_, err = b.send("ElementSendKeys", object{"id": id, "text": text})
	}
	return err
}

// picture returns the page's picture, a PNG in base64.
func (b *webDriver) picture() ([]byte, error) {
	taken, err := b.send("TakeScreenshot", object{})
	return bytes.Trim(taken, `"`), err
}
