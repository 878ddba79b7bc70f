/// Values written into bytes and read back, bit for bit: one list of members serves both ways.
///   template <class Archive> void keep(Archive& archive) { archive(time, state, mode); }
/// A value is copied as it lies in memory, a vector with its length before it, a class by its own `keep`. The bytes belong to one
/// program on one kind of machine; what is to last is written as a file.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace stickslip {

namespace archive_detail {

template <class Derived>
struct Both {
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  template <class T>
  void one(T& value) {
    if constexpr (requires { value.keep(self()); }) {
      value.keep(self());
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "a class that is more than its bytes needs a keep() of its own");
      self().bytes(&value, sizeof value);
    }
  }
  template <class T>
  void one(std::vector<T>& values) {
    std::size_t count = values.size();
    one(count);
    self().resize(values, count);
    for (T& value : values) one(value);
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool has = value.has_value();
    one(has);
    if (!has) {
      value.reset();
      return;
    }
    std::array<std::byte, sizeof(T)> raw{};
    if (value) raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(*value);
    self().bytes(raw.data(), raw.size());
    value.emplace(std::bit_cast<T>(raw));
  }
};

}  // namespace archive_detail

class ArchiveWriter : public archive_detail::Both<ArchiveWriter> {
 public:
  std::vector<std::byte> take() { return std::move(bytes_); }
  void bytes(void* from, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  template <class T>
  void resize(std::vector<T>&, std::size_t) {}

 private:
  std::vector<std::byte> bytes_;
};

class ArchiveReader : public archive_detail::Both<ArchiveReader> {
 public:
  explicit ArchiveReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  /// Throws Error if there are fewer.
  void bytes(void* to, std::size_t count) {
    if (count > bytes_.size()) throw Error("a saved motion is truncated, or was written by another version");
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }
  template <class T>
  void resize(std::vector<T>& values, std::size_t count) {
    if (count > bytes_.size()) throw Error("a saved motion is damaged: a list of " + std::to_string(count) + " values");
    values.resize(count);
  }
  bool is_done() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace stickslip
