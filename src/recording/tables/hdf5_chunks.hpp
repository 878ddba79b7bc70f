/// A dataset's numbers cut into chunks of equal size, each packed by a row of filters. A tree says where each chunk lies.
/// Filters: deflate, shuffle and fletcher32. Others are refused by name.
#pragma once
#include <functional>

#include "recording/tables/hdf5_file.hpp"

namespace stickslip::inline recordings {

/// What a chunked dataset is made of: `columns` × `rows` values, in chunks of `across` × `along`.
struct Hdf5Tiling {
  std::uint64_t columns = 1, rows = 1, across = 1, along = 1;
  std::uint64_t tiles_along() const { return rows / along + (rows % along != 0); }
  std::uint64_t tiles_across() const { return columns / across + (columns % across != 0); }
};

struct Hdf5Chunks {
  std::uint64_t tree = 0;  // address
  std::size_t rank = 2;    // 1 or 2
  std::size_t width = 8;   // bytes of a value
  Hdf5Tiling tiling;
};

/// Gives each chunk that is stored to `place`: its first column and row, and its across · along · width bytes. Returns how
/// many there were. Every place is given at most once. Throws Error.
using PlaceChunk = std::function<void(std::uint64_t column, std::uint64_t row, std::string_view bytes)>;
std::uint64_t hdf5_chunks(Hdf5File& file, const Hdf5Object& dataset, const Hdf5Chunks& chunks, const PlaceChunk& place);

}  // namespace stickslip::inline recordings
