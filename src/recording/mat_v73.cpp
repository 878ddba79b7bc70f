/// MATLAB .mat files of version 7.3, read through the HDF5 library; see mat_v73.hpp.
/// Each variable is a dataset (its attribute MATLAB_class says of which class) or a group (a struct, its fields inside).
/// HDF5 lists the slowest dimension first, MATLAB stores columns: a dataset of c × r values in the file's order is a
/// matrix of r rows and c columns, column after column. HDF5 checks its own sizes against the file's: the end stated in
/// the superblock must be there, so a cut file does not open.
/// Not read: complex, character, cell, sparse, logical index and object arrays (left out, with a note).
#include "recording/mat_v73.hpp"

#ifndef STICKSLIP_HDF5

namespace stickslip {
MatArrays mat_v73_arrays(const std::string& path) {
  refuse_file(path, "is a MATLAB file of version 7.3; install libhdf5-dev and build again, or save it with -v7");
}
}  // namespace stickslip

#else

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "recording/hdf5_values.hpp"

namespace stickslip {
namespace {

constexpr std::size_t most_values = std::size_t(1) << 31, most_columns = 64;
constexpr int deepest_group = 8;  // structs within structs
constexpr std::string_view field_of_references =
    "#";  // "#refs#", "#subsystem#": where cells and objects keep their parts

/// HDF5 prints its errors by itself; here they are told once, by us.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &to_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, to_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* to_ = nullptr;
};

/// The word in MATLAB_class; "" without one.
std::string class_of(hid_t object) {
  if (H5Aexists(object, "MATLAB_class") <= 0) return "";
  const Handle attribute(H5Aopen(object, "MATLAB_class", H5P_DEFAULT), H5Aclose);
  if (!attribute.is_open()) return "";
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (!type.is_open() || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) return "";
  const std::size_t size = H5Tget_size(type.get());
  if (size == 0 || size > 256 || H5Aget_storage_size(attribute.get()) != size) return "";
  std::string word(size, '\0');
  if (H5Aread(attribute.get(), type.get(), word.data()) < 0) return "";
  word.resize(std::min(word.find('\0'), size));
  return word;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file.is_open()) refuse_file(path, "is a MATLAB file of version 7.3 that is cut off or damaged");
    read_group(file.get(), "", 0);
  }

  MatArrays found;

 private:
  void read_group(hid_t group, const std::string& prefix, int depth) {
    H5G_info_t info{};
    if (H5Gget_info(group, &info) < 0) damaged(prefix);
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
      if (length < 0 || length > 1000) damaged(prefix);
      std::string name(std::size_t(length) + 1, '\0');
      if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(), H5P_DEFAULT) < 0)
        damaged(prefix);
      name.pop_back();
      if (name.starts_with(field_of_references)) continue;
      H5L_info_t link{};
      if (H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) < 0) damaged(name);
      if (link.type != H5L_TYPE_HARD) {  // it may name another file
        leave_out(prefix + name, "a link");
        continue;
      }
      const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
      if (!object.is_open()) damaged(name);
      read_object(object.get(), prefix + name, depth);
    }
  }

  void read_object(hid_t object, const std::string& name, int depth) {
    const H5I_type_t kind = H5Iget_type(object);
    const std::string word = class_of(object);
    if (kind == H5I_GROUP) {
      if (depth < deepest_group && (word.empty() || word == "struct"))
        read_group(object, name + ".", depth + 1);
      else
        leave_out(name, word.empty() ? "nested too deeply" : word);
    } else if (kind == H5I_DATASET) {
      read_dataset(object, name, word);
    } else {
      leave_out(name, "no array");
    }
  }

  void read_dataset(hid_t dataset, const std::string& name, const std::string& word) {
    static constexpr std::string_view numeric[] = {"",       "double", "single", "int8",  "uint8",  "int16",
                                                   "uint16", "int32",  "uint32", "int64", "uint64", "logical"};
    const bool known = std::find(std::begin(numeric), std::end(numeric), word) != std::end(numeric);
    const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    if (!type.is_open() || !space.is_open()) damaged(name);
    const H5T_class_t stored = H5Tget_class(type.get());
    if (!known || (stored != H5T_FLOAT && stored != H5T_INTEGER)) {
      leave_out(name, !known ? word : stored == H5T_COMPOUND ? "complex" : "not numeric");
      return;
    }
    if (H5Aexists(dataset, "MATLAB_empty") > 0 || H5Aexists(dataset, "MATLAB_sparse") > 0) {
      leave_out(name, H5Aexists(dataset, "MATLAB_sparse") > 0 ? "sparse" : "empty");
      return;
    }
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 0 || rank > 2) {
      leave_out(name, rank < 0 ? "no array" : std::to_string(rank) + " dimensions");
      return;
    }
    hsize_t size[2] = {1, 1};
    if (rank > 0 && H5Sget_simple_extent_dims(space.get(), size, nullptr) < 0) damaged(name);
    read_values(dataset, name, rank == 2 ? size[0] : 1, rank == 2 ? size[1] : size[0]);
  }

  /// `columns` of `rows` values, one after the other.
  void read_values(hid_t dataset, const std::string& name, hsize_t columns, hsize_t rows) {
    if (columns == 0 || rows == 0) return leave_out(name, "empty");
    if (rows > most_values || columns > most_values / rows)
      refuse_file(path_, in_quotes(one_line(name, 40)) + " states " + std::to_string(columns) + " x " +
                             std::to_string(rows) + " values; that is more than can be read");
    const bool is_row = rows == 1;
    if (!is_row && columns > most_columns) return leave_out(name, std::to_string(columns) + " columns");
    auto read = hdf5_values(dataset, columns, rows);
    if (!read.why_not.empty()) refuse_file(path_, in_quotes(one_line(name, 40)) + " " + read.why_not);
    std::vector<double> values = std::move(read.values);
    if (is_row || columns == 1) {
      found.arrays.push_back({name, std::move(values)});
      return;
    }
    for (std::size_t c = 0; c < columns; ++c) {
      const auto from = values.begin() + std::ptrdiff_t(c * rows);
      found.arrays.push_back({name + "_" + std::to_string(c + 1), {from, from + std::ptrdiff_t(rows)}});
    }
  }

  void leave_out(const std::string& name, const std::string& why) {
    found.left_out.push_back(one_line(name, 40) + " (" + one_line(why, 40) + ")");
  }
  [[noreturn]] void damaged(const std::string& name) const {
    refuse_file(path_, "is damaged" + (name.empty() ? std::string() : " at " + in_quotes(one_line(name, 40))) +
                           "; its HDF5 structure cannot be read");
  }

  std::string path_;
};

}  // namespace

MatArrays mat_v73_arrays(const std::string& path) {
  // At exit HDF5 would complain about what a damaged file left half open; there is nothing to be saved.
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  const Silence silence;
  return Reader(path).found;
}

}  // namespace stickslip

#endif
