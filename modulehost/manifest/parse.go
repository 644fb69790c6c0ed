package manifest

import (
	"slices"
	"strconv"
	"strings"
)

// reader reads one manifest and collects its findings.
type reader struct {
	*report
	id string // the module's; "" when missing or invalid, and then the rules about namespaces are skipped
}

// Parse reads module.json. It returns the manifest, or nil and all findings: MANIFEST_INVALID,
// MANIFEST_VERSION_UNSUPPORTED (then it is the only one), PERMISSION_DUPLICATE,
// PERMISSION_NAMESPACE_RESERVED, CAPABILITY_DUPLICATE. Findings are in the order in which the fields are
// checked, at most MaxFindings+1. No other file is read.
func Parse(data []byte) (*Manifest, []Finding) {
	r := &reader{report: &report{}}
	m := r.manifest(data)
	if len(r.findings) == 0 {
		return m, nil
	}
	for i := range r.findings {
		r.findings[i].Module = r.id
	}
	return nil, r.findings
}

func (r *reader) manifest(data []byte) *Manifest {
	root := r.readTree(data)
	if root == nil {
		return nil
	}
	if root.otherVersion() {
		r.add(ErrVersionUnsupported, "/manifestVersion", "manifestVersion must be %d.", Version)
		return nil
	}
	o, ok := r.open(field{node: root, label: FileName}, "$schema", "manifestVersion", "id", "name",
		"version", "icon", "people", "compatibility",
		"dependencies", "provides", "permissions", "entrypoints", "database", "storage", "configuration",
		"contributions", "translations")
	if !ok {
		return nil
	}
	if f, ok := o.optional("$schema"); ok { // for editors
		r.text(f)
	}
	m := &Manifest{}
	r.identity(o, m)
	r.people(o, m)
	r.compatibility(o, m)
	r.dependencies(o, m)
	r.provides(o, m)
	declared := r.permissions(o, m)
	r.entrypoints(o, m, declared)
	r.database(o, m)
	r.storage(o, m)
	r.configuration(o, m)
	r.contributions(o, m)
	r.translations(o, m)
	r.checkServerNeeds(o)
	return m
}

// otherVersion reports whether the manifest has another version. It is checked first, because the rules of
// version 7 apply to no other version.
func (n *node) otherVersion() bool {
	version := n.member("manifestVersion")
	return version.kind == kindNumber && !strings.ContainsAny(version.text, ".eE") &&
		version.text != strconv.Itoa(Version)
}

func (r *reader) identity(o object, m *Manifest) {
	if f, ok := o.required("manifestVersion"); ok {
		if n, ok := f.node.integer(); !ok || n != Version {
			r.invalid(f, "must be the integer %d.", Version)
		}
	}
	if id, f, ok := o.text("id"); ok {
		switch {
		case id == reserved:
			r.invalid(f, "must not be the platform's own name.")
		case !ValidID(id):
			r.invalid(f, "must be lower-case words joined by hyphens, at most %d characters.", maxIDLength)
		default:
			r.id, m.ID = id, id
		}
	}
	if f, ok := o.required("name"); ok {
		m.Name = r.name(f)
	}
	m.Version = o.version("version")
	if f, ok := o.optional("icon"); ok {
		if icon, ok := r.text(f); ok && !slices.Contains(icons, icon) {
			r.invalid(f, "must be the name of one of the kit's icons: %s.", strings.Join(icons, ", "))
		} else {
			m.Icon = icon
		}
	}
}

// name returns the name of the module that people see. It refuses invisible characters, so that two different
// names do not look alike.
func (r *report) name(f field) string {
	name, ok := r.printableText(f, 1, maxNameLength)
	switch {
	case !ok:
	case strings.TrimSpace(name) != name:
		r.invalid(f, "must not begin or end with white space.")
	case strings.ContainsFunc(name, IsHidden):
		r.invalid(f, "must not hold control or invisible characters.")
	case !strings.ContainsFunc(name, isVisible):
		r.invalid(f, "must have a letter or a digit.")
	default:
		return name
	}
	return ""
}

// people reads whether the module requests people's names: {"names": true}.
func (r *reader) people(o object, m *Manifest) {
	f, ok := o.optional("people")
	if !ok {
		return
	}
	p, ok := r.open(f, "names")
	if !ok {
		return
	}
	if f, ok := p.required("names"); ok {
		if asks, ok := r.boolean(f); ok && !asks {
			r.invalid(f, "must be true; a module that needs no names leaves people out.")
		}
		m.People = true
	}
}

func (r *reader) compatibility(o object, m *Manifest) {
	f, ok := o.required("compatibility")
	if !ok {
		return
	}
	if c, ok := r.open(f, "platform", "moduleSdk"); ok {
		m.Compatibility = Compatibility{Platform: c.versions("platform"), ModuleSDK: c.versions("moduleSdk")}
	}
}

func (r *reader) database(o object, m *Manifest) {
	f, ok := o.optional("database")
	if !ok {
		return
	}
	d, ok := r.open(f, "abi", "migrations")
	if !ok {
		return
	}
	m.Database = &Database{ABI: DatabaseABI}
	if f, ok := d.required("abi"); ok {
		if n, ok := f.node.integer(); !ok || n != DatabaseABI {
			r.invalid(f, "must be the integer %d.", DatabaseABI)
		}
	}
	if f, ok := d.optional("migrations"); ok {
		m.Database.Migrations = r.path(f)
	}
}

func (r *reader) storage(o object, m *Manifest) {
	f, ok := o.optional("storage")
	if !ok {
		return
	}
	s, ok := r.open(f, "buckets")
	if !ok {
		return
	}
	seen := make(map[string]bool)
	for _, f := range s.list("buckets", maxBuckets) {
		bucket, ok := r.text(f)
		if !ok {
			continue
		}
		switch {
		case !bucketPattern().MatchString(bucket):
			r.invalid(f, "must begin with a lower-case letter and have 1 to 32 lower-case letters, digits and "+
				"hyphens.")
		case seen[bucket]:
			r.invalid(f, "must not repeat a bucket.")
		default:
			seen[bucket] = true
			m.Buckets = append(m.Buckets, bucket)
		}
	}
}

// checkServerNeeds reports fields that need a server program when there is none. Routes and channels need no
// check here, because the server program itself registers them.
func (r *reader) checkServerNeeds(o object) {
	if f, ok := o.values["entrypoints"]; ok && (f.kind != kindObject || f.member("server").kind != 0) {
		return // present, or already reported
	}
	const rule = "needs entrypoints.server."
	if f, ok := o.optional("database"); ok && f.node.kind == kindObject {
		r.invalid(f, rule)
	}
	if f, ok := o.optional("storage"); ok && len(f.node.member("buckets").elements) > 0 {
		f.pointer, f.label = f.pointer+"/buckets", f.label+".buckets"
		r.invalid(f, rule)
	}
	if f, ok := o.optional("configuration"); ok && len(f.node.elements) > 0 {
		r.invalid(f, rule)
	}
}

// member returns the first member of that name, and a node of no kind when there is none.
func (n *node) member(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return &node{}
}
