package catalog

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/Masterminds/semver/v3"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// inspection collects the findings of one module while it is read.
type inspection struct {
	module   string // for showing
	findings Findings
}

func (i *inspection) add(code manifest.Error, pointer, message string) {
	i.findings = append(i.findings, manifest.Finding{Module: i.module, Pointer: pointer, Code: code,
		Message: message})
}

// read reads one module. A module with a valid manifest is returned even with findings of its own, so that
// modules which depend on it do not report it as missing. Otherwise the module is nil.
func read(folder string, platform *semver.Version) (*Module, Findings) {
	name := filepath.Base(folder)
	i := &inspection{module: printableName(name)}
	pkg, err := manifest.OpenPackage(folder)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			i.add(ErrManifestMissing, "", "the module's folder does not exist.")
		} else {
			i.add(manifest.ErrInvalid, "", "the module's folder must be readable by the service.")
		}
		return nil, i.findings
	}
	defer pkg.Close()
	m := i.manifest(pkg, name)
	if m == nil {
		return nil, i.findings
	}
	i.compatible(m, platform)
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		i.add(manifest.ErrInvalid, "", "the module's folder must be readable by the service.")
		return nil, i.findings
	}
	return i.files(pkg, &Module{Manifest: m, Folder: real}), i.findings
}

// manifest returns the manifest when it is valid and its id is the folder's name.
func (i *inspection) manifest(pkg *manifest.Package, folder string) *manifest.Manifest {
	file, err := pkg.Read(manifest.FileName, manifest.MaxBytes)
	if errors.Is(err, manifest.ErrFileMissing) {
		i.add(ErrManifestMissing, "", "the module's folder must have a "+manifest.FileName+".")
		return nil
	}
	if err != nil {
		i.add(manifest.ErrInvalid, "", manifest.FileName+" "+err.Error())
		return nil
	}
	m, findings := manifest.Parse(file.Bytes)
	id := ""
	for _, finding := range findings {
		id, finding.Module = finding.Module, i.module
		i.findings = append(i.findings, finding)
	}
	if m != nil {
		id = m.ID
	}
	if id != "" && id != folder {
		i.add(ErrIDMismatch, "/id", "id must be the name of the module's folder.")
		return nil
	}
	return m
}

func (i *inspection) compatible(m *manifest.Manifest, platform *semver.Version) {
	if !m.Compatibility.Platform.Check(platform) {
		i.add(ErrPlatformIncompatible, "/compatibility/platform",
			"compatibility.platform does not include this platform's version, "+platform.String()+".")
	}
	if !m.Compatibility.ModuleSDK.Check(platform) {
		i.add(ErrSDKIncompatible, "/compatibility/moduleSdk",
			"compatibility.moduleSdk does not include this platform's module SDK, "+platform.String()+".")
	}
}

// files reads every file that the manifest names. Other files are never opened.
func (i *inspection) files(pkg *manifest.Package, module *Module) *Module {
	m := module.Manifest
	if m.Server != "" {
		module.Executable = i.file(pkg.Executable, m.Server, "/entrypoints/server", "entrypoints.server")
	}
	if m.ServerScript != "" {
		module.ServerScript = i.file(pkg.Script, m.ServerScript, "/entrypoints/server/script",
			"entrypoints.server.script")
		if module.ServerScript != nil {
			module.ServerScript.Bytes = nil // its process reads it again
		}
	}
	if m.UI != "" {
		module.UI = i.file(pkg.Script, m.UI, "/entrypoints/ui", "entrypoints.ui")
	}
	if m.Display != nil {
		module.Display = i.file(pkg.Script, m.Display.Artifact, "/entrypoints/display/artifact",
			"entrypoints.display.artifact")
	}
	if m.Link != nil {
		module.Link = i.file(pkg.Script, m.Link.Artifact, "/entrypoints/link/artifact",
			"entrypoints.link.artifact")
	}
	if m.Database != nil && m.Database.Migrations != "" {
		module.Migrations = i.migrations(pkg, m.Database.Migrations)
	}
	for n, c := range m.Contributions {
		pointer := "/contributions/" + strconv.Itoa(n) + "/artifact"
		module.Contributions = append(module.Contributions,
			i.file(pkg.Script, c.Artifact, pointer, "contributions[].artifact"))
	}
	return module
}

func (i *inspection) file(read func(string) (*manifest.Artifact, error), path, pointer,
	label string) *manifest.Artifact {
	artifact, err := read(path)
	if err != nil {
		i.add(manifest.ErrArtifactInvalid, pointer, label+" "+err.Error())
	}
	return artifact
}
