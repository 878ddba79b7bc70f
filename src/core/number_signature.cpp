#include "core/number_signature.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/instruction_set.hpp"

namespace stickslip {
namespace {

/// The bits of each function at arguments spread over seven decades (FNV-1a).
std::uint64_t library_hash() {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; ++i, bits >>= 8) hash = (hash ^ (bits & 255)) * 0x100000001b3;
  };
  volatile double x = 1.2345e-4;  // volatile: at run time, not by the compiler
  for (int i = 0; i < 64; ++i) {
    for (double (*f)(double) : {+[](double a) { return std::exp(a); }, +[](double a) { return std::exp(-a); },
                                +[](double a) { return std::log(a); }, +[](double a) { return std::sin(a); },
                                +[](double a) { return std::cos(a); }, +[](double a) { return std::tan(a); },
                                +[](double a) { return std::atan(a); }, +[](double a) { return std::tanh(a); },
                                +[](double a) { return std::expm1(a); }, +[](double a) { return std::log1p(a); },
                                +[](double a) { return std::pow(a, 0.7); }, +[](double a) { return std::cbrt(a); }})
      add(f(x));
    x = x * 1.2589254117941673;
  }
  return hash;
}

}  // namespace

std::string number_signature() {
  static const std::uint64_t library = library_hash();
  std::string text = std::string(name_of(chosen_instruction_set())) + "-";
  for (int i = 0; i < 8; ++i) text += "0123456789abcdef"[(library >> (4 * i)) & 15];
  return text;
}

}  // namespace stickslip
