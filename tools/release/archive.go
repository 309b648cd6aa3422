package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// archive writes the archive for a platform to dir and returns its name: a zip for
// Windows, a tar.gz for the others. Its entries have the date of the commit.
func (r *release) archive(p platform, executables []string, dir string) (name string, err error) {
	top := fmt.Sprintf("slipway_%s_%s", r.version, p)
	files := slices.Clone(executables)
	for _, name := range texts() {
		files = append(files, filepath.Join(r.root, name))
	}
	name, write := top+".tar.gz", r.writeTar
	if p.os == "windows" {
		name, write = top+".zip", r.writeZip
	}
	var b bytes.Buffer
	if err := write(&b, top, files); err != nil {
		return "", err
	}
	return name, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644)
}

// texts are the files of an archive besides the programs.
func texts() []string { return []string{"LICENSE", "README.md", "CHANGELOG.md"} }

// mode returns the permissions of an entry: programs are executable.
func mode(file string) os.FileMode {
	if slices.Contains(texts(), filepath.Base(file)) {
		return 0o644
	}
	return 0o755
}

func (r *release) writeTar(w io.Writer, top string, files []string) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		h := &tar.Header{
			Name: path.Join(top, filepath.Base(file)), Mode: int64(mode(file)), Size: int64(len(data)),
			ModTime: r.date, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func (r *release) writeZip(w io.Writer, top string, files []string) error {
	z := zip.NewWriter(w)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: path.Join(top, filepath.Base(file)), Method: zip.Deflate, Modified: r.date}
		h.SetMode(mode(file))
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}
