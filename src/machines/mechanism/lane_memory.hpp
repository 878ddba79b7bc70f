/// Numbers that whole registers are loaded from: they start at a cache line, since a register that lies across two lines costs two loads.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace stickslip::inline machines {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, line); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

using LaneMemory = std::vector<double, LineAllocator<double>>;

}  // namespace stickslip::inline machines
