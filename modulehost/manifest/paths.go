package manifest

import (
	"io/fs"
	"runtime"
	"strings"
)

// path returns a path inside the package. It checks only the text; Package checks the file.
func (r *report) path(f field) string {
	value, ok := r.text(f)
	if !ok {
		return ""
	}
	if !fs.ValidPath(value) || value == "." || len(value) > maxPathLength || strings.Contains(value, `\`) ||
		strings.ContainsFunc(value, IsHidden) {
		r.invalid(f, "must be a relative path inside the package: forward slashes, no empty, . or .. part, at "+
			"most %d bytes.", maxPathLength)
		return ""
	}
	return value
}

// script returns the path of a script.
func (r *report) script(f field) string {
	path := r.path(f)
	if path != "" && !strings.HasSuffix(path, ".js") {
		r.invalid(f, "must name a .js file.")
		return ""
	}
	return path
}

func (r *reader) entrypoints(o object, m *Manifest, declared map[string]bool) {
	f, ok := o.optional("entrypoints")
	if !ok {
		return
	}
	e, ok := r.open(f, "server", "ui", "display", "link")
	if !ok {
		return
	}
	if f, ok := e.optional("server"); ok {
		if f.node.kind == kindObject {
			m.ServerScript = r.serverScript(f)
		} else {
			m.Server = r.server(f)
		}
	}
	if f, ok := e.optional("ui"); ok {
		m.UI = r.script(f)
	}
	if f, ok := e.optional("display"); ok {
		m.Display = r.page(f, declared)
	}
	if f, ok := e.optional("link"); ok {
		m.Link = r.page(f, declared)
	}
}

// server returns the path of the server program for this system and processor.
func (r *report) server(f field) string {
	path := strings.NewReplacer("{os}", runtime.GOOS, "{arch}", runtime.GOARCH).Replace(r.path(f))
	if strings.ContainsAny(path, "{}") {
		r.invalid(f, "must have no braces but {os} and {arch}.")
		return ""
	}
	return path
}

// serverScript returns the path of the server's script, which runs on every system and processor.
func (r *report) serverScript(f field) (path string) {
	s, ok := r.open(f, "script", "abi")
	if !ok {
		return ""
	}
	if f, ok := s.required("script"); ok {
		path = r.script(f)
	}
	if f, ok := s.required("abi"); ok {
		if n, ok := f.node.integer(); !ok || n != ScriptABI {
			r.invalid(f, "must be the integer %d.", ScriptABI)
		}
	}
	return path
}

func (r *reader) page(f field, declared map[string]bool) *Page {
	d, ok := r.open(f, "artifact", "permission")
	if !ok {
		return nil
	}
	page := &Page{}
	if f, ok := d.required("artifact"); ok {
		page.Artifact = r.script(f)
	}
	if permission, f, ok := d.text("permission"); ok {
		if !declared[permission] {
			r.invalid(f, "must be a permission that this manifest declares.")
		}
		page.Permission = permission
	}
	return page
}
