/// Damage of a file as disks, networks and attackers do it: bytes changed, cut, moved or repeated, and sizes that lie.
#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace stickslip::test {

inline std::string damaged(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : std::size_t(random() % n); };
  const std::size_t times = 1 + below(4);
  for (std::size_t i = 0; i < times && !bytes.empty(); ++i) {
    const std::size_t at = below(bytes.size()), length = 1 + below(std::min<std::size_t>(64, bytes.size() - at));
    switch (below(8)) {
      case 0:
      case 1:
        bytes[at] = char(random());
        break;
      case 2:
        bytes[at] = char(bytes[at] ^ (1 << below(8)));
        break;
      case 3:
        if (below(4) == 0) bytes.resize(at);
        break;
      case 4:
        bytes.insert(below(bytes.size()), bytes.substr(at, length));
        break;
      case 5:
        bytes.erase(at, length);
        break;
      case 6: {  // copied over another place: a pointer to something else
        const std::size_t to = below(bytes.size()), room = std::min(length, bytes.size() - to);
        bytes.replace(to, room, bytes.substr(at, room));
        break;
      }
      default: {  // a size or an address
        const std::uint64_t values[] = {0,
                                        1,
                                        0x7f,
                                        0xff,
                                        0x7fff,
                                        0xffff,
                                        0x7fffffff,
                                        0xfffffff0,
                                        0xffffffff,
                                        ~0ull,
                                        ~0ull >> 1,
                                        1ull << 40,
                                        1ull << 32,
                                        at,
                                        bytes.size(),
                                        bytes.size() + 1,
                                        random(),
                                        random() % 4096};
        const std::uint64_t value = values[below(std::size(values))];
        const std::size_t width = std::size_t(1) << below(4);
        for (std::size_t k = 0; k < width && at + k < bytes.size(); ++k) bytes[at + k] = char(value >> (8 * k));
      }
    }
  }
  return bytes;
}

}  // namespace stickslip::test
