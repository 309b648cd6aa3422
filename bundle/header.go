package bundle

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
)

// ErrNotExecutable is the error for a file that is not an ELF, Mach-O or PE executable.
var ErrNotExecutable = errors.New("not an ELF, Mach-O or PE executable")

// ExecutablePlatform returns the platform in the header of an executable. An ELF file is
// for linux unless its header names another operating system.
func ExecutablePlatform(r io.ReaderAt) (Platform, error) {
	magic := make([]byte, 4)
	if _, err := r.ReadAt(magic, 0); err != nil {
		return Platform{}, ErrNotExecutable
	}
	switch {
	case bytes.Equal(magic, []byte(elf.ELFMAG)):
		f, err := elf.NewFile(r)
		if err != nil {
			return Platform{}, fmt.Errorf("read ELF header: %w", err)
		}
		return Platform{OS: elfOS(f.OSABI), Arch: elfArch(f)}, nil
	case bytes.HasPrefix(magic, []byte("MZ")):
		f, err := pe.NewFile(r)
		if err != nil {
			return Platform{}, fmt.Errorf("read PE header: %w", err)
		}
		return Platform{OS: "windows", Arch: peArch(f.Machine)}, nil
	case bytes.Equal(magic, []byte{0xcf, 0xfa, 0xed, 0xfe}), bytes.Equal(magic, []byte{0xce, 0xfa, 0xed, 0xfe}):
		f, err := macho.NewFile(r)
		if err != nil {
			return Platform{}, fmt.Errorf("read Mach-O header: %w", err)
		}
		return Platform{OS: "darwin", Arch: machoArch(f.Cpu)}, nil
	}
	return Platform{}, ErrNotExecutable
}

func elfOS(abi elf.OSABI) string {
	names := map[elf.OSABI]string{elf.ELFOSABI_FREEBSD: "freebsd", elf.ELFOSABI_NETBSD: "netbsd", elf.ELFOSABI_OPENBSD: "openbsd"}
	return cmp.Or(names[abi], "linux")
}

func elfArch(f *elf.File) string {
	arch := map[elf.Machine]string{
		elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_ARM: "arm", elf.EM_386: "386", elf.EM_RISCV: "riscv64", elf.EM_S390: "s390x",
		elf.EM_LOONGARCH: "loong64", elf.EM_MIPS: "mips", elf.EM_PPC64: "ppc64",
	}[f.Machine]
	if arch == "mips" && f.Class == elf.ELFCLASS64 {
		arch = "mips64"
	}
	if f.Data == elf.ELFDATA2LSB && (f.Machine == elf.EM_MIPS || f.Machine == elf.EM_PPC64) {
		arch += "le"
	}
	return cmp.Or(arch, f.Machine.String())
}

func peArch(machine uint16) string {
	names := map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_I386: "386"}
	return cmp.Or(names[machine], fmt.Sprintf("machine 0x%x", machine))
}

func machoArch(cpu macho.Cpu) string {
	names := map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}
	return cmp.Or(names[cpu], cpu.String())
}

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
