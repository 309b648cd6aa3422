package bundle

import (
	"bytes"
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
	switch abi {
	case elf.ELFOSABI_FREEBSD:
		return "freebsd"
	case elf.ELFOSABI_NETBSD:
		return "netbsd"
	case elf.ELFOSABI_OPENBSD:
		return "openbsd"
	}
	return "linux"
}

func elfArch(f *elf.File) string {
	little := f.Data == elf.ELFDATA2LSB
	switch f.Machine {
	case elf.EM_X86_64:
		return "amd64"
	case elf.EM_AARCH64:
		return "arm64"
	case elf.EM_ARM:
		return "arm"
	case elf.EM_386:
		return "386"
	case elf.EM_RISCV:
		return "riscv64"
	case elf.EM_S390:
		return "s390x"
	case elf.EM_LOONGARCH:
		return "loong64"
	case elf.EM_MIPS:
		arch := "mips"
		if f.Class == elf.ELFCLASS64 {
			arch = "mips64"
		}
		if little {
			arch += "le"
		}
		return arch
	case elf.EM_PPC64:
		if little {
			return "ppc64le"
		}
		return "ppc64"
	}
	return f.Machine.String()
}

func peArch(machine uint16) string {
	switch machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		return "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		return "arm64"
	case pe.IMAGE_FILE_MACHINE_I386:
		return "386"
	}
	return fmt.Sprintf("machine 0x%x", machine)
}

func machoArch(cpu macho.Cpu) string {
	switch cpu {
	case macho.CpuAmd64:
		return "amd64"
	case macho.CpuArm64:
		return "arm64"
	}
	return cpu.String()
}
