/// The tree of chunks and their filters; see hdf5_chunks.hpp.
#include "recording/tables/hdf5_chunks.hpp"

#include <algorithm>
#include <set>

#include "recording/tables/inflate.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::string_view tree_words = "the list of its chunks", filter_words = "its list of filters";
constexpr std::uint64_t largest_chunk = std::uint64_t(1) << 31;  // bytes; HDF5 allows twice that

enum class Filter : std::uint16_t { deflate = 1, shuffle = 2, fletcher32 = 3 };

std::string filter_name(std::uint64_t id) {
  constexpr std::string_view names[] = {"", "", "", "", "szip", "nbit", "scale-offset"};
  return id < std::size(names) && id > 3 ? std::string(names[id]) : "number " + std::to_string(id);
}

/// Filters in the order in which they were applied.
std::vector<Filter> filters_of(const Hdf5Object& dataset) {
  std::vector<Filter> filters;
  if (!dataset.has(Hdf5Message::filters)) return filters;
  ByteCursor cursor(dataset.message(Hdf5Message::filters, filter_words), filter_words);
  const std::uint64_t version = cursor.number(1), count = cursor.number(1);
  if (version != 1 && version != 2) throw Error("is damaged: its list of filters is not readable");
  if (version == 1) cursor.skip(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t id = cursor.number(2);
    const std::uint64_t name_size = version == 1 || id >= 256 ? cursor.number(2) : 0;
    cursor.skip(2);  // flags
    const std::uint64_t values = cursor.number(2);
    cursor.skip(name_size);
    cursor.skip(4 * values + (version == 1 && values % 2 != 0 ? 4 : 0));
    if (id < 1 || id > 3)
      throw Error("is compressed with the filter " + filter_name(id) + ", which is not supported; save it with -v7");
    if (std::find(filters.begin(), filters.end(), Filter(id)) != filters.end())
      throw Error("is damaged: it is compressed twice with the same filter");
    filters.push_back(Filter(id));
  }
  return filters;
}

/// The first bytes of all numbers came first, then the second ones.
void unshuffle(std::string_view bytes, std::size_t width, std::string& out) {
  const std::size_t count = bytes.size() / width;
  for (std::size_t b = 0; b < width; ++b)
    for (std::size_t i = 0; i < count; ++i) out[i * width + b] = bytes[b * count + i];
  std::copy(bytes.begin() + std::ptrdiff_t(count * width), bytes.end(), out.begin() + std::ptrdiff_t(count * width));
}

/// Fletcher's sum over words of 16 bits, first byte high; a last odd byte is a high one.
std::uint32_t fletcher32(std::string_view bytes) {
  std::uint32_t sum = 0, of_sums = 0;
  const auto byte = [&](std::size_t i) { return std::uint32_t(static_cast<unsigned char>(bytes[i])); };
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    sum = (sum + (byte(i) << 8 | (i + 1 < bytes.size() ? byte(i + 1) : 0))) % 65535;
    of_sums = (of_sums + sum) % 65535;
  }
  return of_sums << 16 | sum;
}

/// Of the two values 0 and 65535, which are the same in these sums, either may have been written.
bool is_same_sum(std::uint32_t a, std::uint32_t b) {
  return (a >> 16) % 65535 == (b >> 16) % 65535 && (a & 0xffff) % 65535 == (b & 0xffff) % 65535;
}

class Reader {
 public:
  Reader(Hdf5File& file, const Hdf5Object& dataset, const Hdf5Chunks& chunks, const PlaceChunk& place)
      : file_(file), chunks_(chunks), place_(place), filters_(filters_of(dataset)) {
    const Hdf5Tiling& t = chunks.tiling;
    if (t.across == 0 || t.along == 0 || t.along > largest_chunk || t.across > largest_chunk / t.along / chunks.width)
      throw Error("is damaged: its chunks have an impossible size");
    chunk_size_ = std::size_t(t.across * t.along * chunks.width);
    // A tile without a stored chunk still takes memory below: one bit each.
    if (t.tiles_across() > (std::uint64_t(1) << 40) / t.tiles_along())
      throw Error("is damaged: its chunks have an impossible size");
    if (!file.expansion.take(t.tiles_across() * t.tiles_along() / 8)) throw Error(Expansion::refusal());
    is_filled_.resize(std::size_t(t.tiles_across() * t.tiles_along()));
  }

  std::uint64_t read_all() {
    if (file_.is_defined(chunks_.tree)) walk(chunks_.tree, -1);
    return count_;
  }

 private:
  /// `level` is that of the node above less one; -1: any.
  void walk(std::uint64_t address, int level) {
    if (!visited_.insert(address).second) throw Error("is damaged: the list of its chunks is circular");
    ByteCursor head(file_.from(address, tree_words), tree_words);
    head.expect("TREE");
    const std::uint64_t kind = head.number(1);
    const int here = int(head.number(1));
    const std::uint64_t count = head.number(2);
    if (kind != 1 || (level >= 0 && here != level)) throw Error("is damaged: the list of its chunks has a wrong node");
    const std::size_t before = head.place() + 2 * file_.address_size();
    const std::size_t key = 8 + 8 * (chunks_.rank + 1);
    ByteCursor cursor(file_.block(address, before + count * (key + file_.address_size()), tree_words), tree_words);
    cursor.skip(before);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t size = cursor.number(4), left_out = cursor.number(4);
      const std::uint64_t column = chunks_.rank == 2 ? cursor.number(8) : 0, row = cursor.number(8);
      cursor.skip(8);  // place inside a value
      const std::uint64_t child = file_.address(cursor);
      if (here == 0)
        add(column, row, child, size, std::uint32_t(left_out));
      else
        walk(child, here - 1);
    }
  }

  void add(std::uint64_t column, std::uint64_t row, std::uint64_t address, std::uint64_t size, std::uint32_t left_out) {
    const Hdf5Tiling& t = chunks_.tiling;
    if (column >= t.columns || row >= t.rows || column % t.across != 0 || row % t.along != 0)
      throw Error("is damaged: a chunk lies outside of the array");
    std::vector<bool>::reference is_filled =
        is_filled_[std::size_t(column / t.across * t.tiles_along() + row / t.along)];
    if (is_filled) throw Error("is damaged: two chunks hold the same values");
    is_filled = true;
    ++count_;
    const std::string_view packed = file_.block(address, size, "a chunk of it");
    place_(column, row, plain(packed, left_out));
  }

  /// A chunk without its filters, the last applied first. `left_out` has bit i set if filter i was not applied to it.
  std::string_view plain(std::string_view bytes, std::uint32_t left_out) {
    const auto is_applied = [&](std::size_t i) { return (left_out >> std::min<std::size_t>(i, 31) & 1) == 0; };
    for (std::size_t i = filters_.size(); i-- > 0;) {
      if (!is_applied(i)) continue;
      if (filters_[i] == Filter::fletcher32) {
        ByteCursor end(bytes, "a chunk of it");
        const std::string_view body = end.take(bytes.size() - std::min<std::size_t>(4, bytes.size()));
        const auto stated = std::uint32_t(end.number(4)), found = fletcher32(body);
        const std::uint32_t swapped = (stated & 0x00ff00ffu) << 8 | (stated >> 8 & 0x00ff00ffu);  // HDF5 before 1.6.3
        if (!is_same_sum(stated, found) && !is_same_sum(swapped, found))
          throw Error("is damaged: the checksum of a chunk is wrong");
        bytes = body;
        continue;
      }
      std::size_t size = bytes.size();
      if (filters_[i] == Filter::deflate) {
        size = chunk_size_;  // and what a checksum before it has added
        for (std::size_t k = 0; k < i; ++k) size += filters_[k] == Filter::fletcher32 && is_applied(k) ? 4 : 0;
        if (size > most_inflated(bytes.size())) throw Error("is damaged: a chunk of it is too short");
      }
      if (!file_.expansion.take(size)) throw Error(Expansion::refusal());
      std::string& out = bytes.data() == first_.data() ? second_ : first_;
      out.resize(size);
      if (filters_[i] == Filter::shuffle)
        unshuffle(bytes, chunks_.width, out);
      else if (!inflater_.fill(bytes, Packing::zlib, out))
        throw Error("is damaged: a chunk of it cannot be decompressed");
      bytes = out;
    }
    if (bytes.size() != chunk_size_) throw Error("is damaged: a chunk of it has a wrong size");
    return bytes;
  }

  Hdf5File& file_;
  const Hdf5Chunks& chunks_;
  const PlaceChunk& place_;
  std::vector<Filter> filters_;
  std::size_t chunk_size_ = 0;
  std::vector<bool> is_filled_;
  std::uint64_t count_ = 0;
  std::set<std::uint64_t> visited_;
  std::string first_, second_;  // a chunk between two filters
  Inflater inflater_;
};

}  // namespace

std::uint64_t hdf5_chunks(Hdf5File& file, const Hdf5Object& dataset, const Hdf5Chunks& chunks,
                          const PlaceChunk& place) {
  return Reader(file, dataset, chunks, place).read_all();
}

}  // namespace stickslip::inline recordings
