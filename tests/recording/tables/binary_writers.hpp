/// MATLAB files of version 5 and archives of NumPy, written byte by byte after their formats.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "recording/recording.hpp"

namespace stickslip::made {

inline std::string u16(std::size_t value) { return {char(value & 255), char(value >> 8 & 255)}; }
inline std::string u32(std::size_t value) { return u16(value & 0xffff) + u16(value >> 16); }

inline std::string element(std::uint32_t type, std::string data) {
  const std::string head = u32(type) + u32(data.size());
  data.resize((data.size() + 7) / 8 * 8);
  return head + data;
}

template <class Number>
std::string bytes_of_values(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The start of an array: class (6: double), dimensions, name.
inline std::string array_head(std::uint32_t kind, std::size_t rows, std::size_t columns, const std::string& name) {
  return element(6, u32(kind) + u32(0)) + element(5, u32(rows) + u32(columns)) + element(1, name);
}
/// A real matrix of class double, its numbers stored as `type`.
inline std::string matrix(const std::string& name, std::size_t rows, std::size_t columns, std::uint32_t type,
                          const std::string& data) {
  return element(14, array_head(6, rows, columns, name) + element(type, data));
}
/// An object whose contents MATLAB keeps elsewhere: table, string, datetime.
inline std::string opaque(const std::string& name, const std::string& class_name) {
  return element(14, element(6, u32(17) + u32(0)) + element(1, name) + element(1, "MCOS") + element(1, class_name) +
                         element(14, array_head(13, 1, 1, "") + element(6, u32(7))));
}

inline std::string deflated(const std::string& plain, int window = MAX_WBITS) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, uLong(plain.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = uInt(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string compressed(const std::string& plain) {
  const std::string out = deflated(plain);
  return u32(15) + u32(out.size()) + out;  // not padded
}

inline std::string mat_header() {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4);
}

/// One part of a zip archive; `size` may lie.
struct ZipPart {
  std::string name, packed;
  std::size_t size = 0;
  int method = 8;
  std::uint32_t check = 0;
};
inline ZipPart npy_part(const std::string& name, const std::string& header, const std::string& data,
                        bool deflates = true) {
  const std::string text = header + std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  const std::string plain = std::string("\x93NUMPY\x01\x00", 8) + u16(text.size()) + text + data;
  return {name + ".npy", deflates ? deflated(plain, -MAX_WBITS) : plain, plain.size(), deflates ? 8 : 0,
          std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size()))};
}
inline ZipPart npy_vector(const std::string& name, const std::vector<double>& values, bool deflates = true) {
  return npy_part(name, "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }",
                  bytes_of_values(values), deflates);
}
/// `shared`: every part of the directory leads to the first one's bytes.
inline std::string zip(const std::vector<ZipPart>& parts, bool shared = false) {
  std::string out, directory;
  for (const ZipPart& part : parts) {
    const std::size_t local = shared ? 0 : out.size();
    const std::string common = u16(20) + u16(0) + u16(std::size_t(part.method)) + u32(0) + u32(part.check) +
                               u32(part.packed.size()) + u32(part.size) + u16(part.name.size()) + u16(0);
    if (!shared || out.empty()) out += u32(0x04034b50) + common + part.name + part.packed;
    directory += u32(0x02014b50) + u16(20) + common + u16(0) + u32(0) + u32(0) + u32(local) + part.name;
  }
  return out + directory + u32(0x06054b50) + u32(0) + u16(parts.size()) + u16(parts.size()) + u32(directory.size()) +
         u32(out.size()) + u16(0);
}

/// A file that goes away with this.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& bytes, const std::string& ending)
      : path_((std::filesystem::temp_directory_path() /
               ("stickslip_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
                std::to_string(getpid()) + ending))
                  .string()) {
    write(bytes);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  void write(const std::string& bytes) const {
    std::filesystem::remove(path_);  // some file systems wait for the disk when a file is written over
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What reading these bytes says after the file's name; "accepted" if it is read.
inline std::string refusal_of(const std::string& bytes, const std::string& ending, const ReadOptions& options = {}) {
  const TemporaryFile file(bytes, ending);
  try {
    read_recording(file.path(), options);
  } catch (const Error& error) {
    const std::string text = error.what();
    const auto at = text.find(ending + ": ");
    return at == std::string::npos ? text : text.substr(at + ending.size() + 2);
  }
  return "accepted";
}

inline Recording read_bytes(const std::string& bytes, const std::string& ending, const ReadOptions& options = {}) {
  const TemporaryFile file(bytes, ending);
  return read_recording(file.path(), options);
}

/// The text of the note with this code; "" without one.
inline std::string note_of(const Recording& r, const std::string& code) {
  for (const Note& note : r.notes)
    if (note.code == code) return note.text;
  return "";
}

}  // namespace stickslip::made
