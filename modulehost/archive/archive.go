// Package archive owns module packages as files: it writes a module's folder as one reproducible file with
// a checksum beside it, puts such a file in place of what is installed, and removes what is installed
// (contract.md §7, §9 and §10).
//
// A package is <id>-<version>.tar.gz, whose names are relative to the module's folder, and
// <id>-<version>.tar.gz.sha256 as sha256sum writes it. At every moment, also when the process is killed,
// the modules directory holds a module's old state or its new one, never half of one: what is under way has
// a name with a dot in front, which discovery ignores and the next Install or Remove deletes. Nothing is
// hot: a running platform takes no notice before its next start.
package archive

// Limits of a package. Pack writes nothing that they would make Install refuse.
const (
	MaxPackedBytes   = 320 << 20 // the .tar.gz: 320 MiB
	MaxUnpackedBytes = 512 << 20 // all that is in it, with the headers: 512 MiB
	MaxEntries       = 12_000    // files and folders together, also folders that only the names of files imply
	MaxPathBytes     = 255       // one name
	MaxDepth         = 16        // parts of one name
)

// What an unpacked module's files and folders may be used for, whatever the archive and the umask say.
const (
	fileMode       = 0o644
	executableMode = 0o755
	folderMode     = 0o755
)
