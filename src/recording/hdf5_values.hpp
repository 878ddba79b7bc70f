/// The numbers of one HDF5 dataset, each byte of them accounted for. The library trusts what a damaged file says of its
/// chunks (a deflated chunk that is too short would be filled up with whatever lay in memory), so chunks are taken raw and
/// inflated here, and must have the size that belongs to them.
/// Filters: deflate and shuffle, as MATLAB writes. Only for builds with HDF5; included by mat_v73.cpp alone.
#pragma once
#ifdef STICKSLIP_HDF5
#include <hdf5.h>

#include <string>
#include <vector>

namespace stickslip {

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

struct Hdf5Values {
  std::vector<double> values;  // in the file's order
  std::string why_not;         // "has values that are not stored": refused
};
/// `columns` × `rows` values.
Hdf5Values hdf5_values(hid_t dataset, hsize_t columns, hsize_t rows);

}  // namespace stickslip
#endif
