// Package operator owns the commands of the person who runs an installation: api:start, and a file for each
// group of others.
package operator
