/// Contiguous and chunked datasets; see hdf5_values.hpp.
#include "recording/hdf5_values.hpp"

#ifdef STICKSLIP_HDF5
#include <algorithm>
#include <cstring>

#include "recording/raw_table.hpp"

namespace stickslip {
namespace {

constexpr const char* damaged = "is damaged: its bytes do not fit its size";

/// A number type as MATLAB writes it; a damaged one might describe bits that are not there.
bool is_plain(hid_t type) {
  for (const hid_t known : {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I16LE, H5T_STD_U16LE,
                            H5T_STD_I32LE, H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE,
                            H5T_STD_I16BE, H5T_STD_U16BE, H5T_STD_I32BE, H5T_STD_U32BE, H5T_STD_I64BE, H5T_STD_U64BE})
    if (H5Tequal(type, known) > 0) return true;
  return false;
}

/// Filters in the order in which they were applied; false for one that is not known here.
bool filters_of(hid_t how, std::vector<H5Z_filter_t>& filters) {
  const int count = H5Pget_nfilters(how);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0, values[8] = {};
    std::size_t wanted = 8;
    char name[64] = {};
    filters.push_back(H5Pget_filter2(how, unsigned(i), &flags, &wanted, values, sizeof name, name, &config));
    if (filters.back() != H5Z_FILTER_DEFLATE && filters.back() != H5Z_FILTER_SHUFFLE) return false;
  }
  return count >= 0;
}

/// The first bytes of all numbers came first, then the second ones.
std::string unshuffled(const std::string& bytes, std::size_t width) {
  std::string out(bytes.size(), '\0');
  const std::size_t count = bytes.size() / width;
  for (std::size_t b = 0; b < width; ++b)
    for (std::size_t i = 0; i < count; ++i) out[i * width + b] = bytes[b * count + i];
  return out;
}

/// A chunk without its filters, last applied first; empty unless it has exactly `size` bytes.
std::string plain(std::string bytes, const std::vector<H5Z_filter_t>& filters, unsigned left_out, std::size_t width,
                  std::size_t size) {
  for (std::size_t i = filters.size(); i-- > 0;) {
    if (left_out & (1u << i)) continue;
    if (filters[i] == H5Z_FILTER_DEFLATE) {
      auto whole = inflated(bytes, false, size);
      if (!whole) return {};
      bytes = std::move(*whole);
    } else {
      if (bytes.size() != size) return {};
      bytes = unshuffled(bytes, width);
    }
  }
  return bytes.size() == size ? bytes : std::string();
}

/// Where chunks go: `columns` × `rows` values, in chunks of `across` × `along`.
struct Tiling {
  hsize_t columns = 1, rows = 1, across = 1, along = 1;
  hsize_t count() const { return ((columns + across - 1) / across) * ((rows + along - 1) / along); }
};

Hdf5Values chunked(hid_t dataset, hid_t type, hid_t how, Tiling tiles) {
  hsize_t chunk[2] = {1, 1};
  const int rank = H5Pget_chunk(how, 2, chunk);
  if (rank < 1 || rank > 2 || chunk[0] == 0 || chunk[rank - 1] == 0) return {{}, damaged};
  tiles.across = rank == 2 ? chunk[0] : 1, tiles.along = chunk[rank - 1];
  const std::size_t width = H5Tget_size(type);
  constexpr hsize_t most = hsize_t(1) << 31;  // bytes of a chunk
  if (tiles.along > most || tiles.across > most / tiles.along / width) return {{}, damaged};
  const std::size_t values_each = std::size_t(tiles.across * tiles.along);
  std::vector<H5Z_filter_t> filters;
  if (!filters_of(how, filters)) return {{}, "is packed by a filter that is not known; save it without, or with -v7"};
  const Handle space(H5Dget_space(dataset), H5Sclose);
  hsize_t there = 0;
  if (H5Dget_num_chunks(dataset, space.get(), &there) < 0 || there != tiles.count())
    return {{}, "has values that are not stored; the file is damaged"};
  Hdf5Values out{std::vector<double>(std::size_t(tiles.columns * tiles.rows)), {}};
  std::vector<bool> filled(std::size_t(tiles.count()), false);
  std::vector<double> numbers(values_each);
  const hsize_t tiles_along = (tiles.rows + tiles.along - 1) / tiles.along;
  for (hsize_t i = 0; i < there; ++i) {
    hsize_t at[2] = {0, 0}, size = 0;
    unsigned left_out = 0;
    haddr_t address = 0;
    if (H5Dget_chunk_info(dataset, space.get(), i, at, &left_out, &address, &size) < 0 || size == 0 || size > most)
      return {{}, damaged};
    const hsize_t column = rank == 2 ? at[0] : 0, row = at[rank - 1];
    if (column >= tiles.columns || row >= tiles.rows || column % tiles.across || row % tiles.along)
      return {{}, damaged};
    std::vector<bool>::reference is_filled =
        filled[std::size_t(column / tiles.across * tiles_along + row / tiles.along)];
    if (is_filled) return {{}, damaged};
    is_filled = true;
    // The index and the look-up by place may differ in a damaged file, and the latter says how much is read.
    hsize_t size_read = 0;
    if (H5Dget_chunk_storage_size(dataset, at, &size_read) < 0 || size_read != size) return {{}, damaged};
    std::string raw(std::size_t(size), '\0');
    uint32_t mask = 0;
    if (H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, raw.data()) < 0) return {{}, damaged};
    const std::string bytes = plain(std::move(raw), filters, mask, width, values_each * width);
    if (bytes.empty()) return {{}, damaged};
    std::memcpy(numbers.data(), bytes.data(), bytes.size());  // a number has at most 8 bytes
    if (H5Tconvert(type, H5T_NATIVE_DOUBLE, values_each, numbers.data(), nullptr, H5P_DEFAULT) < 0)
      return {{}, damaged};
    for (hsize_t c = 0; c < tiles.across && column + c < tiles.columns; ++c)
      std::copy_n(numbers.begin() + std::ptrdiff_t(c * tiles.along), std::min(tiles.along, tiles.rows - row),
                  out.values.begin() + std::ptrdiff_t((column + c) * tiles.rows + row));
  }
  return out;
}

}  // namespace

Hdf5Values hdf5_values(hid_t dataset, hsize_t columns, hsize_t rows) {
  const Handle type(H5Dget_type(dataset), H5Tclose), how(H5Dget_create_plist(dataset), H5Pclose);
  if (!type.is_open() || !how.is_open() || !is_plain(type.get())) return {{}, damaged};
  const H5D_layout_t layout = H5Pget_layout(how.get());
  const Handle file(H5Iget_file_id(dataset), H5Fclose);
  hsize_t bytes = 0;
  constexpr hsize_t deflates_to = 1100;  // at best, a thousandth
  if (!file.is_open() || H5Fget_filesize(file.get(), &bytes) < 0 ||
      columns * rows * H5Tget_size(type.get()) > bytes * (layout == H5D_CHUNKED ? deflates_to : 1))
    return {{}, damaged};
  if (layout == H5D_CHUNKED) return chunked(dataset, type.get(), how.get(), {columns, rows, 1, 1});
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) return {{}, "is kept outside of the file"};
  if (H5Pget_external_count(how.get()) != 0) return {{}, "is kept outside of the file"};
  if (H5Dget_storage_size(dataset) != columns * rows * H5Tget_size(type.get()))
    return {{}, "has values that are not stored; the file is damaged"};
  Hdf5Values out{std::vector<double>(std::size_t(columns * rows)), {}};
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.values.data()) < 0) return {{}, damaged};
  return out;
}

}  // namespace stickslip
#endif
