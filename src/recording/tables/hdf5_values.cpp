/// Layouts and number types; see hdf5_values.hpp.
#include "recording/tables/hdf5_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "recording/tables/hdf5_chunks.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::string_view layout_words = "its layout", data_words = "its data";

template <class Number>
void copy_numbers(std::string_view bytes, bool swapped, double* to) {
  const std::size_t count = bytes.size() / sizeof(Number);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, sizeof(Number)> raw;
    std::memcpy(raw.data(), bytes.data() + i * sizeof(Number), sizeof(Number));
    if (swapped) std::reverse(raw.begin(), raw.end());
    to[i] = double(std::bit_cast<Number>(raw));
  }
}

/// `bytes` holds whole numbers of a plain type.
void to_doubles(const Hdf5Datatype& type, std::string_view bytes, double* to) {
  const bool swapped = type.big_endian != (std::endian::native == std::endian::big);
  if (type.kind == Hdf5Datatype::Kind::real)
    return type.size == 8 ? copy_numbers<double>(bytes, swapped, to) : copy_numbers<float>(bytes, swapped, to);
  switch (type.size) {
    case 1:
      return type.is_signed ? copy_numbers<std::int8_t>(bytes, swapped, to)
                            : copy_numbers<std::uint8_t>(bytes, swapped, to);
    case 2:
      return type.is_signed ? copy_numbers<std::int16_t>(bytes, swapped, to)
                            : copy_numbers<std::uint16_t>(bytes, swapped, to);
    case 4:
      return type.is_signed ? copy_numbers<std::int32_t>(bytes, swapped, to)
                            : copy_numbers<std::uint32_t>(bytes, swapped, to);
    default:
      return type.is_signed ? copy_numbers<std::int64_t>(bytes, swapped, to)
                            : copy_numbers<std::uint64_t>(bytes, swapped, to);
  }
}

/// The fill value of elements that were never written; zero unless the file says otherwise.
double fill_value(const Hdf5Object& dataset, const Hdf5Datatype& type) {
  std::string_view value;
  constexpr std::string_view words = "its fill value";
  if (dataset.has(Hdf5Message::fill_value)) {
    ByteCursor cursor(dataset.message(Hdf5Message::fill_value, words), words);
    const std::uint64_t version = cursor.number(1);
    bool is_stated = true;
    if (version == 3) {
      is_stated = (cursor.number(1) & 0x20) != 0;
    } else {
      cursor.skip(2);
      is_stated = cursor.number(1) != 0 || version == 1;
    }
    if (is_stated) value = cursor.take(cursor.number(4));
  } else if (dataset.has(Hdf5Message::old_fill_value)) {
    ByteCursor cursor(dataset.message(Hdf5Message::old_fill_value, words), words);
    value = cursor.take(cursor.number(4));
  }
  double number = 0;
  if (value.size() == type.size) to_doubles(type, value, &number);
  return number;
}

[[noreturn]] void not_stored() {
  throw Error("has values that are not stored; the file is damaged or was never written");
}

Hdf5Values plain(std::string_view bytes, const Hdf5Datatype& type, std::uint64_t count) {
  if (bytes.size() != count * type.size) throw Error("is damaged: its bytes do not fit its size");
  Hdf5Values found;
  found.values.resize(std::size_t(count));
  to_doubles(type, bytes, found.values.data());
  return found;
}

Hdf5Values chunked(Hdf5File& file, const Hdf5Object& dataset, const Hdf5Datatype& type, const Hdf5Chunks& chunks) {
  Hdf5Values found;
  const Hdf5Tiling& t = chunks.tiling;
  found.fill = fill_value(dataset, type);
  std::uint64_t stored = 0;
  const PlaceChunk place = [&](std::uint64_t column, std::uint64_t row, std::string_view bytes) {
    // Memory is taken for a file that has a chunk; one that only states a size has none.
    if (found.values.empty()) found.values.assign(std::size_t(t.columns * t.rows), found.fill);
    const std::uint64_t wide = std::min(t.across, t.columns - column), high = std::min(t.along, t.rows - row);
    for (std::uint64_t c = 0; c < wide; ++c)
      to_doubles(type, bytes.substr(std::size_t(c * t.along) * type.size, std::size_t(high) * type.size),
                 found.values.data() + (column + c) * t.rows + row);
    stored += wide * high;
  };
  hdf5_chunks(file, dataset, chunks, place);
  found.not_stored = t.columns * t.rows - stored;
  if (found.not_stored > stored) not_stored();  // more holes than values: no recording looks like that
  return found;
}

}  // namespace

Hdf5Values hdf5_values(Hdf5File& file, const Hdf5Object& dataset, const Hdf5Datatype& type, std::uint64_t columns,
                       std::uint64_t rows) {
  if (dataset.has(Hdf5Message::external_files)) throw Error("is kept in another file, which is not read");
  if (rows == 0 || columns > (std::uint64_t(1) << 48) / rows || !file.expansion.take(columns * rows * sizeof(double)))
    throw Error("states " + std::to_string(columns) + " x " + std::to_string(rows) + " values; it " +
                Expansion::refusal());
  ByteCursor cursor(dataset.message(Hdf5Message::layout, layout_words), layout_words);
  const std::uint64_t version = cursor.number(1);
  if (version != 3 && version != 4)
    throw Error("uses layout version " + std::to_string(version) +
                ", which is not supported; save it with -v7 or as CSV");
  switch (cursor.number(1)) {
    case 0:
      return plain(cursor.take(cursor.number(2)), type, columns * rows);
    case 1: {
      const std::uint64_t address = file.address(cursor), size = file.length(cursor);
      if (!file.is_defined(address)) not_stored();
      if (size != columns * rows * type.size) throw Error("is damaged: its bytes do not fit its size");
      return plain(file.block(address, size, data_words), type, columns * rows);
    }
    case 2: {
      if (version == 4) throw Error("uses layout version 4, which is not supported; save it with -v7 or as CSV");
      Hdf5Chunks chunks;
      const std::uint64_t with_width = cursor.number(1);  // the dimensions, and one of a value's bytes
      if (with_width != 2 && with_width != 3) throw Error("is damaged: its chunks have an impossible size");
      chunks.rank = std::size_t(with_width) - 1;
      chunks.tree = file.address(cursor);
      chunks.width = type.size;
      chunks.tiling.columns = columns, chunks.tiling.rows = rows;
      if (chunks.rank == 2) chunks.tiling.across = cursor.number(4);
      chunks.tiling.along = cursor.number(4);
      if (cursor.number(4) != type.size || (chunks.rank == 1 && columns != 1))
        throw Error("is damaged: its chunks have an impossible size");
      return chunked(file, dataset, type, chunks);
    }
    default:
      throw Error("is a virtual dataset of other files or arrays, which is not supported; save it with -v7");
  }
}

}  // namespace stickslip::inline recordings
