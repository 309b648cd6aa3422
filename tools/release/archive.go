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
)

// archive writes the archive for a platform to dir and returns its name: a zip for
// Windows, a tar.gz for the others. Its entries have the date of the commit.
func (r *release) archive(p platform, executable, dir string) (name string, err error) {
	top := fmt.Sprintf("slipway_%s_%s", r.version, p)
	files := []string{
		executable,
		filepath.Join(r.root, "LICENSE"), filepath.Join(r.root, "README.md"), filepath.Join(r.root, "CHANGELOG.md"),
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

// mode returns the permissions of an entry: only the first file is executable.
func mode(i int) os.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

func (r *release) writeTar(w io.Writer, top string, files []string) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		h := &tar.Header{
			Name: path.Join(top, filepath.Base(file)), Mode: int64(mode(i)), Size: int64(len(data)),
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
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: path.Join(top, filepath.Base(file)), Method: zip.Deflate, Modified: r.date}
		h.SetMode(mode(i))
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
