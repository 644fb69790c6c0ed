package manifest

import "slices"

// languages are those in which a manifest can repeat its texts: those of the Dashboard.
var languages = []string{"de", "en"}

// Translation has a manifest's texts in one language. Whatever it lacks is shown as the manifest has it.
type Translation struct {
	Name          string                    `json:"name,omitzero"`
	Permissions   map[string]string         `json:"permissions,omitzero"` // descriptions, by id
	Configuration map[string]KeyTranslation `json:"configuration,omitzero"`
}

// KeyTranslation has the texts of a configuration key in one language.
type KeyTranslation struct {
	Label       string            `json:"label,omitzero"`
	Description string            `json:"description,omitzero"`
	Values      map[string]string `json:"values,omitzero"` // how each value of an enum is shown
}

// translations reads {"de": {"name", "permissions", "configuration"}}, after what it translates.
func (r *reader) translations(o object, m *Manifest) {
	f, ok := o.optional("translations")
	if !ok {
		return
	}
	t, ok := r.open(f, languages...)
	if !ok {
		return
	}
	m.Translations = make(map[string]Translation)
	for _, language := range languages {
		if f, ok := t.optional(language); ok {
			if texts, ok := r.open(f, "name", "permissions", "configuration"); ok {
				m.Translations[language] = r.translation(texts, m)
			}
		}
	}
}

func (r *reader) translation(o object, m *Manifest) (t Translation) {
	if f, ok := o.optional("name"); ok {
		t.Name = r.name(f)
	}
	if f, ok := o.optional("permissions"); ok {
		t.Permissions = make(map[string]string)
		declared := func(id string) bool {
			return slices.ContainsFunc(m.Permissions, func(p Permission) bool { return p.ID == id })
		}
		r.members(f, "permission", declared, func(id string, f field) {
			t.Permissions[id], _ = r.printableText(f, 1, maxPermissionText)
		})
	}
	if f, ok := o.optional("configuration"); ok {
		t.Configuration = make(map[string]KeyTranslation)
		find := func(key string) int {
			return slices.IndexFunc(m.Configuration, func(d Declaration) bool { return d.Key == key })
		}
		declared := func(key string) bool { return find(key) >= 0 }
		r.members(f, "key", declared, func(key string, f field) {
			t.Configuration[key] = r.keyTranslation(f, m.Configuration[find(key)])
		})
	}
	return t
}

func (r *reader) keyTranslation(f field, d Declaration) (t KeyTranslation) {
	o, ok := r.open(f, "label", "description", "values")
	if !ok {
		return t
	}
	if f, ok := o.optional("label"); ok {
		t.Label, _ = r.printableText(f, 1, maxNameLength)
	}
	if f, ok := o.optional("description"); ok {
		t.Description, _ = r.printableText(f, 1, maxConfigurationText)
	}
	if f, ok := o.optional("values"); ok {
		t.Values = make(map[string]string)
		declared := func(value string) bool { return slices.Contains(d.Values, value) }
		r.members(f, "value", declared, func(value string, f field) {
			t.Values[value], _ = r.printableText(f, 1, maxEnumValueLength)
		})
	}
	return t
}

// members reads an object whose members have names that the manifest has declared elsewhere. It reports the
// others, and those that appear twice.
func (r *report) members(f field, what string, declared func(name string) bool, read func(string, field)) {
	if f.node.kind != kindObject {
		r.invalid(f, "must be an object.")
		return
	}
	seen := make(map[string]bool, len(f.node.members))
	for _, m := range f.node.members {
		at := field{node: m.value, pointer: f.pointer, label: f.label + "{}"}
		if plainName().MatchString(m.name) {
			at.pointer += "/" + m.name
		}
		switch {
		case !declared(m.name):
			r.invalid(at, "must be of a %s that this manifest declares.", what)
		case seen[m.name]:
			r.invalid(at, "must not name a %s twice.", what)
		default:
			seen[m.name] = true
			read(m.name, at)
		}
	}
}

// Texts are a module's translated fields by language, for answers that have the untranslated ones beside
// them. A language without any is missing.
type Texts map[string]Text

// Text has the translated fields of a module in one language.
type Text struct {
	Name          string           `json:"name,omitzero"`
	Configuration map[string]Label `json:"configuration,omitzero"`
}

// Label is what a configuration key is called.
type Label struct {
	Label string `json:"label"`
}

// Texts returns the name of the module, and the labels of the given configuration keys, in further languages;
// nil = in none. A key can be empty, and then has no label.
func (m *Manifest) Texts(keys ...string) Texts {
	return collect(m, func(t Translation) (Text, bool) {
		text := Text{Name: t.Name}
		for _, key := range keys {
			label := t.Configuration[key].Label
			if label == "" {
				continue
			}
			if text.Configuration == nil {
				text.Configuration = make(map[string]Label)
			}
			text.Configuration[key] = Label{label}
		}
		return text, text.Name != "" || text.Configuration != nil
	})
}

// KeyTexts returns the texts of a configuration key in further languages; nil = in none.
func (m *Manifest) KeyTexts(key string) map[string]KeyTranslation {
	return collect(m, func(t Translation) (KeyTranslation, bool) {
		text, ok := t.Configuration[key]
		return text, ok
	})
}

// Descriptions returns a permission's description in further languages; nil = in none.
func (m *Manifest) Descriptions(permission string) map[string]string {
	return collect(m, func(t Translation) (string, bool) {
		description, ok := t.Permissions[permission]
		return description, ok
	})
}

func collect[T any](m *Manifest, part func(Translation) (T, bool)) (parts map[string]T) {
	for language, t := range m.Translations {
		if p, ok := part(t); ok {
			if parts == nil {
				parts = make(map[string]T)
			}
			parts[language] = p
		}
	}
	return parts
}
