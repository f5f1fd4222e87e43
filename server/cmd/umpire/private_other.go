//go:build !unix

package main

// privateFiles: the directory's own permissions decide.
func privateFiles() {}
