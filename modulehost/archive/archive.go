// Package archive owns module packages as files. It writes a module's folder as one reproducible file with a
// checksum beside it, installs such a file in place of what was installed, and removes installed modules.
//
// A package is <id>-<version>.tar.gz, with names relative to the module's folder, and
// <id>-<version>.tar.gz.sha256 in the format of sha256sum. At every moment, even when the process is killed,
// the modules directory holds a module's old state or its new one, never a part of one. Unfinished work has
// a name that begins with a dot: discovery ignores it, and the next Install or Remove deletes it. A version
// is bound to the bytes of its package (versions.go). A running platform notices no change before its next
// start.
package archive

// Limits of a package. Pack fails rather than write a package that Install would refuse for them.
const (
	MaxPackedBytes   = 320 << 20 // the .tar.gz: 320 MiB
	MaxUnpackedBytes = 512 << 20 // all contents including headers: 512 MiB
	MaxEntries       = 12_000    // files and folders, including folders that only files' names imply
	MaxPathBytes     = 255       // one name
	MaxDepth         = 16        // parts of one name
)

// The modes of an unpacked module's files and folders. The modes in the archive and the umask have no effect.
const (
	fileMode       = 0o644
	executableMode = 0o755
	folderMode     = 0o755
)
