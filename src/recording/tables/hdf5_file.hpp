/// The part of HDF5 that MATLAB 7.3 writes, read from the bytes of a whole file: superblock, object headers, groups and
/// attributes. After "HDF5 File Format Specification Version 3.0" (The HDF Group).
/// Nothing a file says is trusted: every read is inside the file, every structure is visited once, and all reads together
/// stay within a few times the file's size, so that damage ends in an Error and never in a crash or an endless walk.
/// Errors are predicates without a name ("is damaged: ..."); the caller puts the name in front.
/// Read: superblock 0 to 3, object headers 1 and 2, symbol tables, links kept in the header. Refused with a message: names
/// and attributes in fractal heaps, shared messages.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/tables/byte_cursor.hpp"
#include "recording/tables/expansion.hpp"

namespace stickslip::inline recordings {

class Hdf5File {
 public:
  /// `bytes` from the signature on. Throws Error if the file is shorter than it says.
  explicit Hdf5File(std::string_view bytes);

  std::uint64_t root() const { return root_; }
  /// An address or a length at the cursor.
  std::uint64_t address(ByteCursor& cursor) const { return cursor.number(address_size_); }
  std::uint64_t length(ByteCursor& cursor) const { return cursor.number(length_size_); }
  /// Whether an address leads anywhere; all bits set means "none".
  bool is_defined(std::uint64_t address) const;
  std::size_t address_size() const { return address_size_; }
  std::size_t length_size() const { return length_size_; }

  /// `size` bytes at an address, counted as read. `what` is for the message.
  std::string_view block(std::uint64_t address, std::uint64_t size, std::string_view what);
  /// Everything from an address on, not counted.
  std::string_view from(std::uint64_t address, std::string_view what) const;

  Expansion expansion;

 private:
  std::string_view bytes_;
  std::uint64_t root_ = 0, left_to_read_ = 0;
  std::size_t address_size_ = 8, length_size_ = 8;
};

enum class Hdf5Message : std::uint16_t {
  nothing = 0,
  dataspace = 1,
  link_info = 2,
  datatype = 3,
  old_fill_value = 4,
  fill_value = 5,
  link = 6,
  external_files = 7,
  layout = 8,
  filters = 11,
  attribute = 12,
  continuation = 16,
  symbol_table = 17,
  attribute_info = 21
};

/// What an object header says, message by message.
struct Hdf5Object {
  struct Entry {
    Hdf5Message kind;
    bool is_shared;  // the bytes only say where the message is kept
    std::string_view bytes;
  };
  std::vector<Entry> entries;

  bool has(Hdf5Message kind) const;
  /// The bytes of a message. Throws Error if it is missing or kept elsewhere.
  std::string_view message(Hdf5Message kind, std::string_view what) const;
  bool is_group() const;
};
Hdf5Object hdf5_object(Hdf5File& file, std::uint64_t address);

struct Hdf5Link {
  std::string name;
  bool is_hard = true;  // others lead to a path, perhaps in another file
  std::uint64_t address = 0;
};
/// The members of a group, in the order of the file.
std::vector<Hdf5Link> hdf5_links(Hdf5File& file, const Hdf5Object& group);

struct Hdf5Datatype {
  enum class Kind { integer, real, text, compound, reference, other };
  Kind kind = Kind::other;
  std::size_t size = 0;  // bytes of one value
  bool is_signed = false, big_endian = false;
  bool is_plain = false;  // a number of 1, 2, 4 or 8 bytes without bits left over, or IEEE 754 of 4 or 8
};
Hdf5Datatype hdf5_datatype(std::string_view message);

/// Sizes of an array, the slowest first; none of a scalar. Nothing for a null dataspace.
std::optional<std::vector<std::uint64_t>> hdf5_dimensions(const Hdf5File& file, std::string_view message);

struct Hdf5Attribute {
  std::string name;
  std::string text;  // of one text of fixed length; "" otherwise
};
std::vector<Hdf5Attribute> hdf5_attributes(const Hdf5File& file, const Hdf5Object& object);

}  // namespace stickslip::inline recordings
