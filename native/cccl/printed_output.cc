#include "native/cccl/printed_output.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <string_view>

#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

thread_local std::string* capture = nullptr;

bool captures(std::FILE* file) { return capture != nullptr && (file == stdout || file == stderr); }

/// Appends formatted text; answers what printf would.
__attribute__((format(printf, 1, 0))) int append_formatted(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (size < 0) return size;
  const std::size_t start = capture->size();
  capture->resize(start + static_cast<std::size_t>(size) + 1);
  std::vsnprintf(capture->data() + start, static_cast<std::size_t>(size) + 1, format, arguments);
  capture->pop_back();
  return size;
}

__attribute__((format(printf, 2, 0))) int captured_vfprintf(std::FILE* file, const char* format,
                                                            std::va_list arguments) {
  return captures(file) ? append_formatted(format, arguments) : std::vfprintf(file, format, arguments);
}

__attribute__((format(printf, 2, 3))) int captured_fprintf(std::FILE* file, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int result = captured_vfprintf(file, format, arguments);
  va_end(arguments);
  return result;
}

__attribute__((format(printf, 1, 2))) int captured_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int result = captured_vfprintf(stdout, format, arguments);
  va_end(arguments);
  return result;
}

int captured_puts(const char* text) {
  if (capture == nullptr) return std::puts(text);
  capture->append(text).push_back('\n');
  return 1;
}

std::size_t captured_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file) {
  if (!captures(file)) return std::fwrite(data, size, count, file);
  capture->append(static_cast<const char*>(data), size * count);
  return count;
}

int captured_fputs(const char* text, std::FILE* file) {
  if (!captures(file)) return std::fputs(text, file);
  capture->append(text);
  return 1;
}

int captured_fputc(int character, std::FILE* file) {
  if (!captures(file)) return std::fputc(character, file);
  capture->push_back(static_cast<char>(character));
  return character;
}

int captured_putchar(int character) { return captured_fputc(character, stdout); }

int captured_fflush(std::FILE* file) { return captures(file) ? 0 : std::fflush(file); }

ssize_t captured_write(int descriptor, const void* data, std::size_t size) {
  if (capture == nullptr || (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)) {
    return ::write(descriptor, data, size);
  }
  capture->append(static_cast<const char*>(data), size);
  return static_cast<ssize_t>(size);
}

/// Stands in for std::cerr. Unbuffered, so that threads share nothing but the capture of their own.
class CapturedCerr final : public std::streambuf {
 protected:
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char text = traits_type::to_char_type(character);
    return xsputn(&text, 1) == 1 ? character : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (capture == nullptr) return std::cerr.rdbuf()->sputn(text, size);
    capture->append(text, static_cast<std::size_t>(size));
    return size;
  }
  int sync() override { return capture == nullptr ? std::cerr.rdbuf()->pubsync() : 0; }
};

std::ostream& captured_cerr() {
  // Never destroyed: the library may print from its own exit handlers.
  static auto* const stream = new std::ostream(new CapturedCerr);
  return *stream;
}

/// What a symbol of the library resolves to from now on; null where it is none of ours.
void* replacement(std::string_view symbol) {
  if (symbol == "printf") return reinterpret_cast<void*>(&captured_printf);
  if (symbol == "fprintf") return reinterpret_cast<void*>(&captured_fprintf);
  if (symbol == "vfprintf") return reinterpret_cast<void*>(&captured_vfprintf);
  if (symbol == "puts") return reinterpret_cast<void*>(&captured_puts);
  if (symbol == "fputs") return reinterpret_cast<void*>(&captured_fputs);
  if (symbol == "fputc" || symbol == "putc") return reinterpret_cast<void*>(&captured_fputc);
  if (symbol == "putchar") return reinterpret_cast<void*>(&captured_putchar);
  if (symbol == "fwrite") return reinterpret_cast<void*>(&captured_fwrite);
  if (symbol == "fflush") return reinterpret_cast<void*>(&captured_fflush);
  if (symbol == "write") return reinterpret_cast<void*>(&captured_write);
  if (symbol == "_ZSt4cerr") return &captured_cerr();
  return nullptr;
}

/// Writes one entry of the global offset table, which the dynamic linker may have made read-only.
void patch(const LoadedObject& object, ElfW(Addr) offset, void* target) {
  const auto address = object.base + offset;
  bool read_only = false;
  for (ElfW(Half) i = 0; i < object.header_count; ++i) {
    const auto& header = object.headers[i];
    if (header.p_type == PT_GNU_RELRO && offset >= header.p_vaddr && offset < header.p_vaddr + header.p_memsz) {
      read_only = true;
    }
  }
  const auto page_size = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  auto* const page = reinterpret_cast<void*>(address / page_size * page_size);
  if (read_only && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) {
    throw Failure(FailureKind::toolkit, "ERR_CCCL_OUTPUT",
                  "Cannot redirect what " + object.path + " prints: " + std::strerror(errno) + ".");
  }
  *reinterpret_cast<void**>(address) = target;
  if (read_only) mprotect(page, page_size, PROT_READ);
}

}  // namespace

PrintedOutput::PrintedOutput() : outer_(capture) { capture = &text_; }

PrintedOutput::~PrintedOutput() { capture = outer_; }

std::string PrintedOutput::text() const {
  const auto first = text_.find_first_not_of(" \n\t");
  if (first == std::string::npos) return {};
  return text_.substr(first, text_.find_last_not_of(" \n\t") + 1 - first);
}

void capture_printed_output(const LoadedObject& object) {
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  struct Table {
    const ElfW(Rela) * entries = nullptr;
    std::size_t bytes = 0;
  };
  Table functions;
  Table data;
  for (ElfW(Half) i = 0; i < object.header_count; ++i) {
    if (object.headers[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.base + object.headers[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // glibc has already turned these into addresses.
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_JMPREL) functions.entries = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_PLTRELSZ) functions.bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_RELA) data.entries = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_RELASZ) data.bytes = entry->d_un.d_val;
    }
  }
  if (symbols == nullptr || names == nullptr) {
    throw Failure(FailureKind::toolkit, "ERR_CCCL_OUTPUT", object.path + " has no dynamic symbols.");
  }
  for (const Table& table : {functions, data}) {
    for (std::size_t i = 0; i < table.bytes / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela) & relocation = table.entries[i];
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
      const ElfW(Sym) & symbol = symbols[ELF64_R_SYM(relocation.r_info)];
      // A symbol that the object defines itself is none of the C library's.
      if (symbol.st_shndx != SHN_UNDEF) continue;
      if (void* target = replacement(names + symbol.st_name)) patch(object, relocation.r_offset, target);
    }
  }
}

}  // namespace cuda_compute
