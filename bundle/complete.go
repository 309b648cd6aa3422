package bundle

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
)

// CheckComplete returns an error if an executable of size bytes is shorter than its header
// declares, which is so while it is being copied. It does not check files that are not an
// ELF, Mach-O or PE executable.
func CheckComplete(r io.ReaderAt, size int64) error {
	if _, err := ExecutablePlatform(r); err != nil {
		if errors.Is(err, ErrNotExecutable) {
			return nil
		}
		return fmt.Errorf("is incomplete or damaged (%w)", err)
	}
	if end := declaredSize(r); end > uint64(max(size, 0)) {
		return fmt.Errorf("is incomplete: it has %d bytes, but its header declares %d", size, end)
	}
	return nil
}

// declaredSize returns the end of the last part that the header of an executable places in
// the file.
func declaredSize(r io.ReaderAt) (end uint64) {
	if f, err := elf.NewFile(r); err == nil {
		for _, p := range f.Progs {
			end = max(end, p.Off+p.Filesz)
		}
		for _, s := range f.Sections {
			if s.Type != elf.SHT_NOBITS {
				end = max(end, s.Offset+s.FileSize)
			}
		}
	} else if f, err := macho.NewFile(r); err == nil {
		for _, l := range f.Loads {
			if s, ok := l.(*macho.Segment); ok {
				end = max(end, s.Offset+s.Filesz)
			}
		}
	} else if f, err := pe.NewFile(r); err == nil {
		for _, s := range f.Sections {
			end = max(end, uint64(s.Offset)+uint64(s.Size))
		}
	}
	return end
}
