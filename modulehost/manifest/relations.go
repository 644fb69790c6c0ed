package manifest

import "strings"

func (r *reader) dependencies(o object, m *Manifest) {
	f, ok := o.optional("dependencies")
	if !ok {
		return
	}
	d, ok := r.open(f, "required", "optional")
	if !ok {
		return
	}
	required, optional := d.list("required", maxDependencies), d.list("optional", maxDependencies)
	if len(required)+len(optional) > maxDependencies {
		r.invalid(f, "must not have more than %d entries in all.", maxDependencies)
		return
	}
	seen := make(map[Dependency]bool)
	m.Dependencies.Required = r.edges(required, seen)
	m.Dependencies.Optional = r.edges(optional, seen)
}

// edges returns the dependencies, and adds each one's kind and id to seen.
func (r *reader) edges(fields []field, seen map[Dependency]bool) []Dependency {
	var edges []Dependency
	for _, f := range fields {
		e, ok := r.open(f, "kind", "id", "range")
		if !ok {
			continue
		}
		kind, kindAt, kindKnown := e.text("kind")
		if kindKnown && Kind(kind) != KindModule && Kind(kind) != KindCapability {
			r.invalid(kindAt, "must be module or capability.")
			kindKnown = false
		}
		id, idAt, ok := e.text("id")
		if ok && kindKnown {
			key := Dependency{Kind: Kind(kind), ID: id}
			r.checkTarget(idAt, key)
			if seen[key] {
				r.invalid(idAt, "must not repeat a dependency.")
			}
			seen[key] = true
		}
		edges = append(edges, Dependency{Kind: Kind(kind), ID: id, Range: e.versions("range")})
	}
	return edges
}

// checkTarget checks the target of a dependency or contribution.
func (r *reader) checkTarget(f field, d Dependency) {
	owner := d.ID
	if d.Kind == KindCapability {
		owner = namespace(d.ID)
	}
	switch {
	case d.Kind == KindCapability && !ValidID(owner): // the platform itself provides none
		r.invalid(f, "must be a capability id, <module-id>.<name>.")
	case d.Kind == KindModule && !ValidID(owner):
		r.invalid(f, "must be a module id.")
	case owner == r.id:
		r.invalid(f, "must not be the module's own.")
	}
}

// ownID checks an id that must begin with the module's own id.
func (r *reader) ownID(f field, id string) bool {
	owner := namespace(id)
	if owner == "" || r.id != "" && owner != r.id {
		r.invalid(f, "must be <module-id>.<name> with this module's id, at most %d characters.",
			maxNamespacedLength)
		return false
	}
	return true
}

func (r *reader) provides(o object, m *Manifest) {
	seen := make(map[string]bool)
	for _, f := range o.list("provides", maxProvides) {
		p, ok := r.open(f, "capability", "version")
		if !ok {
			continue
		}
		id, at, ok := p.text("capability")
		if ok && r.ownID(at, id) && seen[id] {
			r.add(ErrCapabilityDuplicate, at.pointer, "%s must not be provided twice.", at.label)
		}
		seen[id] = true
		m.Provides = append(m.Provides, Capability{ID: id, Version: p.version("version")})
	}
}

// permissions returns every declared id, even where the entry has another fault, because the display may
// refer to it.
func (r *reader) permissions(o object, m *Manifest) map[string]bool {
	declared := make(map[string]bool)
	for _, f := range o.list("permissions", maxPermissions) {
		p, ok := r.open(f, "id", "baseline", "description")
		if !ok {
			continue
		}
		id, at, ok := p.text("id")
		switch {
		case !ok:
		case strings.HasPrefix(id, reserved+"."): // a reserved id, valid or not
			r.add(ErrPermissionReserved, at.pointer, "%s must not be in the platform's own namespace.", at.label)
		case r.ownID(at, id) && declared[id]:
			r.add(ErrPermissionDuplicate, at.pointer, "%s must not be declared twice.", at.label)
		default:
			declared[id] = true
		}
		baseline, at, ok := p.text("baseline")
		if ok && Baseline(baseline) != BaselineAuthenticated && Baseline(baseline) != BaselineRestricted {
			r.invalid(at, "must be authenticated or restricted.")
		}
		m.Permissions = append(m.Permissions,
			Permission{ID: id, Baseline: Baseline(baseline), Description: p.description(maxPermissionText)})
	}
	return declared
}

func (r *reader) contributions(o object, m *Manifest) {
	seen := make(map[string]bool)
	for _, f := range o.list("contributions", maxContributions) {
		c, ok := r.open(f, "id", "version", "capability", "range", "artifact")
		if !ok {
			continue
		}
		var contribution Contribution
		id, at, ok := c.text("id")
		if ok && r.ownID(at, id) && seen[id] {
			r.invalid(at, "must not repeat a contribution.")
		}
		seen[id], contribution.ID = true, id
		contribution.Version = c.version("version")
		if capability, at, ok := c.text("capability"); ok {
			r.checkTarget(at, Dependency{Kind: KindCapability, ID: capability})
			contribution.Capability = capability
		}
		contribution.Range = c.versions("range")
		if f, ok := c.required("artifact"); ok {
			contribution.Artifact = r.script(f)
		}
		m.Contributions = append(m.Contributions, contribution)
	}
}
