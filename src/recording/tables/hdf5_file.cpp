/// Superblock, object headers and messages; see hdf5_file.hpp.
#include "recording/tables/hdf5_file.hpp"

#include <algorithm>

namespace stickslip::inline recordings {
namespace {

constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
constexpr std::size_t most_blocks = 256;  // of one object header; libraries write a handful

/// The checksum of version 2 headers: Bob Jenkins' lookup3, seeded with zero.
std::uint32_t lookup3(std::string_view bytes) {
  const auto turned = [](std::uint32_t x, int by) { return x << by | x >> (32 - by); };
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
      value |= std::uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
  };
  std::uint32_t a = 0xdeadbeefu + std::uint32_t(bytes.size()), b = a, c = a;
  std::size_t at = 0;
  for (; bytes.size() - at > 12; at += 12) {
    a += word(at), b += word(at + 4), c += word(at + 8);
    a -= c, a ^= turned(c, 4), c += b;
    b -= a, b ^= turned(a, 6), a += c;
    c -= b, c ^= turned(b, 8), b += a;
    a -= c, a ^= turned(c, 16), c += b;
    b -= a, b ^= turned(a, 19), a += c;
    c -= b, c ^= turned(b, 4), b += a;
  }
  if (at == bytes.size()) return c;
  a += word(at), b += word(at + 4), c += word(at + 8);
  c ^= b, c -= turned(b, 14);
  a ^= c, a -= turned(c, 11);
  b ^= a, b -= turned(a, 25);
  c ^= b, c -= turned(b, 16);
  a ^= c, a -= turned(c, 4);
  b ^= a, b -= turned(a, 14);
  c ^= b, c -= turned(b, 24);
  return c;
}

void check_sum(std::string_view with_sum, std::string_view what) {
  const std::string_view body = with_sum.substr(0, with_sum.size() - std::min<std::size_t>(4, with_sum.size()));
  ByteCursor end(with_sum.substr(body.size()), what);
  if (end.number(4) != lookup3(body)) throw Error("is damaged: the checksum of " + std::string(what) + " is wrong");
}

constexpr std::string_view header_words = "its object header";

/// Adds the messages of one block; continuations go to `blocks`.
struct Block {
  std::uint64_t address, size;
};
struct Shape {
  std::size_t type_size, head_size;  // bytes of the type; of type, size, flags and what else precedes the message
};

void add_messages(const Hdf5File& file, std::string_view block, Shape shape, std::size_t& expected, Hdf5Object& object,
                  std::vector<Block>& blocks) {
  ByteCursor cursor(block, header_words);
  while (expected > 0 && cursor.left() >= shape.head_size) {
    const auto kind = std::uint16_t(cursor.number(shape.type_size));
    const std::uint64_t size = cursor.number(2), flags = cursor.number(1);
    cursor.skip(shape.head_size - shape.type_size - 3);
    const std::string_view bytes = cursor.take(size);
    --expected;
    if (Hdf5Message(kind) == Hdf5Message::continuation) {
      ByteCursor where(bytes, header_words);
      const std::uint64_t address = file.address(where);
      blocks.push_back({address, file.length(where)});
      if (blocks.size() > most_blocks) throw Error("is damaged: its object header has no end");
    } else if (Hdf5Message(kind) != Hdf5Message::nothing) {
      object.entries.push_back({Hdf5Message(kind), (flags & 2) != 0, bytes});
    }
  }
}

Hdf5Object version_1(Hdf5File& file, std::uint64_t address, ByteCursor cursor) {
  if (cursor.number(1) != 1) throw Error("is damaged: its object header is not where it should be");
  cursor.skip(1);
  std::size_t expected = std::size_t(cursor.number(2));
  cursor.skip(4);
  const std::uint64_t size = cursor.number(4);
  std::vector<Block> blocks{{address + 16, size}};
  Hdf5Object object;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    add_messages(file, file.block(blocks[i].address, blocks[i].size, header_words), {2, 8}, expected, object, blocks);
  if (expected > 0) throw Error("is damaged: its object header ends too early");
  return object;
}

Hdf5Object version_2(Hdf5File& file, std::uint64_t address, ByteCursor cursor) {
  cursor.expect("OHDR");
  if (cursor.number(1) != 2) throw Error("has an object header of an unsupported version; save it with -v7");
  const std::uint64_t flags = cursor.number(1);
  if (flags & 0x20) cursor.skip(16);  // times
  if (flags & 0x10) cursor.skip(4);   // when links become dense
  const std::uint64_t size = cursor.number(std::size_t(1) << (flags & 3));
  const std::size_t before = cursor.place();
  const Shape shape{1, flags & 4 ? std::size_t(6) : std::size_t(4)};
  std::vector<Block> blocks;
  Hdf5Object object;
  std::size_t expected = 65536;  // not stated; the blocks' sizes end it
  cursor.skip(size);             // it must be there before its end is read
  const std::string_view whole = file.block(address, before + size + 4, header_words);
  check_sum(whole, header_words);
  add_messages(file, whole.substr(before, std::size_t(size)), shape, expected, object, blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string_view next = file.block(blocks[i].address, blocks[i].size, header_words);
    ByteCursor(next, header_words).expect("OCHK");
    check_sum(next, header_words);
    if (next.size() < 8) throw Error("is damaged: its object header ends too early");
    add_messages(file, next.substr(4, next.size() - 8), shape, expected, object, blocks);
  }
  return object;
}

std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

}  // namespace

Hdf5File::Hdf5File(std::string_view bytes) : expansion(bytes.size()), bytes_(bytes) {
  ByteCursor cursor(bytes, "its superblock");
  cursor.expect(signature);
  const std::uint64_t version = cursor.number(1);
  if (version > 3) throw Error("has a superblock of version " + std::to_string(version) + ", which is not read");
  if (version < 2) cursor.skip(4);
  address_size_ = std::size_t(cursor.number(1)), length_size_ = std::size_t(cursor.number(1));
  for (const std::size_t size : {address_size_, length_size_})
    if (size != 4 && size != 8)
      throw Error("is damaged: its superblock states addresses of " + std::to_string(size) + " bytes");
  cursor.skip(version < 2 ? 1 + 2 + 2 + 4 : 1);
  if (version == 1) cursor.skip(4);
  const std::uint64_t base = address(cursor);
  cursor.skip(address_size_);  // free space, or the superblock's extension
  const std::uint64_t end = address(cursor);
  if (version < 2) cursor.skip(2 * address_size_);  // driver; offset of the root's name
  root_ = address(cursor);
  if (version >= 2) check_sum(bytes.substr(0, cursor.place() + 4), "its superblock");
  // The end counts from the start of the file, with the block before the signature; every other address from there.
  if (end < base || end - base > bytes.size()) throw Error("is truncated or damaged");
  bytes_ = bytes.substr(0, std::size_t(end - base));
  left_to_read_ = 4 * std::uint64_t(bytes_.size()) + (1 << 20);
}

bool Hdf5File::is_defined(std::uint64_t address) const {
  return address != (address_size_ == 8 ? ~std::uint64_t(0) : std::uint64_t(0xffffffff));
}

std::string_view Hdf5File::from(std::uint64_t address, std::string_view what) const {
  if (address >= bytes_.size()) throw Error("is damaged: " + std::string(what) + " lies outside of the file");
  return bytes_.substr(std::size_t(address));
}

std::string_view Hdf5File::block(std::uint64_t address, std::uint64_t size, std::string_view what) {
  const std::string_view rest = from(address, what);
  if (size > rest.size()) throw Error("is damaged: " + std::string(what) + " lies outside of the file");
  if (size > left_to_read_) throw Error("is damaged: its parts share the same bytes");
  left_to_read_ -= size;
  return rest.substr(0, std::size_t(size));
}

bool Hdf5Object::has(Hdf5Message kind) const {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.kind == kind; });
}

std::string_view Hdf5Object::message(Hdf5Message kind, std::string_view what) const {
  for (const Entry& entry : entries) {
    if (entry.kind != kind) continue;
    if (entry.is_shared)
      throw Error("shares " + std::string(what) + " with others, which is not supported; save it with -v7");
    return entry.bytes;
  }
  throw Error("is damaged: " + std::string(what) + " is missing");
}

bool Hdf5Object::is_group() const {
  return has(Hdf5Message::symbol_table) || has(Hdf5Message::link_info) || has(Hdf5Message::link);
}

Hdf5Object hdf5_object(Hdf5File& file, std::uint64_t address) {
  const ByteCursor cursor(file.from(address, header_words), header_words);
  return cursor.next_is("OHDR") ? version_2(file, address, cursor) : version_1(file, address, cursor);
}

Hdf5Datatype hdf5_datatype(std::string_view message) {
  ByteCursor cursor(message, "its number type");
  const std::uint64_t first = cursor.number(1), bits = cursor.number(3);
  Hdf5Datatype type;
  type.size = std::size_t(cursor.number(4));
  switch (first & 15) {
    case 0: {
      type.kind = Hdf5Datatype::Kind::integer;
      type.big_endian = (bits & 1) != 0, type.is_signed = (bits & 8) != 0;
      const std::uint64_t offset = cursor.number(2), precision = cursor.number(2);
      const bool usual = type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
      type.is_plain = usual && offset == 0 && precision == 8 * type.size;
      break;
    }
    case 1: {
      type.kind = Hdf5Datatype::Kind::real;
      type.big_endian = (bits & 1) != 0;
      const std::uint64_t sign_place = bits >> 8 & 255;
      const std::uint64_t offset = cursor.number(2), precision = cursor.number(2), exponent_place = cursor.number(1),
                          exponent_size = cursor.number(1), mantissa_place = cursor.number(1),
                          mantissa_size = cursor.number(1), bias = cursor.number(4);
      const bool is_double = type.size == 8 && precision == 64 && sign_place == 63 && exponent_place == 52 &&
                             exponent_size == 11 && mantissa_size == 52 && bias == 1023;
      const bool is_single = type.size == 4 && precision == 32 && sign_place == 31 && exponent_place == 23 &&
                             exponent_size == 8 && mantissa_size == 23 && bias == 127;
      // Bit 6 is the order of a VAX; 2 in bits 4 and 5 says that the mantissa's first bit is implied.
      type.is_plain = (is_double || is_single) && offset == 0 && mantissa_place == 0 && (bits & 0x70) == 0x20;
      break;
    }
    case 3:
      type.kind = Hdf5Datatype::Kind::text;
      break;
    case 6:
      type.kind = Hdf5Datatype::Kind::compound;
      break;
    case 7:
      type.kind = Hdf5Datatype::Kind::reference;
      break;
    default:
      break;
  }
  return type;
}

std::optional<std::vector<std::uint64_t>> hdf5_dimensions(const Hdf5File& file, std::string_view message) {
  ByteCursor cursor(message, "its size");
  const std::uint64_t version = cursor.number(1), rank = cursor.number(1);
  if (version != 1 && version != 2) throw Error("is damaged: its size is not readable");
  cursor.skip(1);  // whether a largest size follows
  const std::uint64_t kind = cursor.number(1);
  if (version == 1) cursor.skip(4);
  if (version == 2 && kind == 2) return std::nullopt;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < rank; ++i) sizes.push_back(file.length(cursor));
  return sizes;
}

std::vector<Hdf5Attribute> hdf5_attributes(const Hdf5File& file, const Hdf5Object& object) {
  std::vector<Hdf5Attribute> found;
  for (const Hdf5Object::Entry& entry : object.entries) {
    if (entry.kind == Hdf5Message::attribute_info) {
      ByteCursor info(entry.bytes, "its list of attributes");
      info.skip(1);
      if (info.number(1) & 1) info.skip(2);
      if (file.is_defined(file.address(info)))
        throw Error("keeps its attributes in a heap, which is not supported; save it with -v7");
    }
    if (entry.kind != Hdf5Message::attribute || entry.is_shared) continue;
    ByteCursor cursor(entry.bytes, "an attribute");
    const std::uint64_t version = cursor.number(1), flags = cursor.number(1);
    if (version < 1 || version > 3) throw Error("is damaged: an attribute is not readable");
    const std::uint64_t name_size = cursor.number(2), type_size = cursor.number(2), space_size = cursor.number(2);
    if (version == 3) cursor.skip(1);  // character set
    const auto part = [&](std::uint64_t size) {
      const std::string_view bytes = cursor.take(version == 1 ? padded(size) : size);
      return bytes.substr(0, std::size_t(size));
    };
    const std::string_view name = part(name_size), type = part(type_size), space = part(space_size);
    Hdf5Attribute attribute;
    attribute.name = std::string(name.substr(0, name.find('\0')));
    const bool is_shared = version > 1 && (flags & 3) != 0;
    if (!is_shared) {
      const Hdf5Datatype kind = hdf5_datatype(type);
      const auto sizes = hdf5_dimensions(file, space);
      const bool is_single = sizes && std::all_of(sizes->begin(), sizes->end(), [](std::uint64_t n) { return n == 1; });
      if (kind.kind == Hdf5Datatype::Kind::text && is_single) {
        const std::string_view text = cursor.take(kind.size);
        attribute.text = std::string(text.substr(0, text.find('\0')));
      }
    }
    found.push_back(std::move(attribute));
  }
  return found;
}

}  // namespace stickslip::inline recordings
