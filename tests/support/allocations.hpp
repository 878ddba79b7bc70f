/// Counts allocations: replaces operator new of the whole program, so at most one file of a test program includes it.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace stickslip {
inline std::atomic<long> allocations = 0;
}

// Not inlined: the compiler would see malloc and free where it expects new and delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++stickslip::allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// The library's own form of it may come from elsewhere (a sanitizer), and would not fit `delete` below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++stickslip::allocations;
  return std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
