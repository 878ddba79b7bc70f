/// Saved motions with a seal; see saved_motion.hpp.
#include "machines/saved_motion.hpp"

#include <cstring>
#include <string>

#include "core/checksum.hpp"
#include "core/error.hpp"

namespace stickslip::inline machines {
namespace {

struct Seal {
  char mark[8] = {'m', 'o', 't', 'i', 'o', 'n', ' ', '1'};
  std::uint32_t structure = 0, checksum = 0;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Keys and words in their order: what a machine is made of. Numbers, with or without a unit, do not count.
void add_structure(const TomlValue& value, std::string& all) {
  using Kind = TomlValue::Kind;
  all += static_cast<char>('0' + static_cast<int>(value.kind == Kind::quantity ? Kind::number : value.kind));
  if (value.kind == Kind::boolean) all += value.is_true ? 'y' : 'n';
  if (value.kind == Kind::text) {
    const bool is_number = value.text.find_first_of("0123456789.+-") == 0;
    all.back() = is_number ? static_cast<char>('0' + static_cast<int>(Kind::number)) : all.back();
    if (!is_number) all += value.text + '\n';
  }
  for (const TomlValue& item : value.items) add_structure(item, all);
  for (const TomlMember& member : value.members) {
    if (member.key == "title" || member.key == "run" || member.key == "solver") continue;  // how it is run
    all += member.key + '=';
    add_structure(member.value, all);
  }
  all += ';';
}

}  // namespace

std::uint32_t structure_of(const Machine& machine) {
  std::string all;
  add_structure(machine.document(), all);
  return crc32(all);
}

std::vector<std::byte> sealed(std::span<const std::byte> saved, std::uint32_t structure) {
  Seal seal;
  seal.structure = structure, seal.checksum = crc32(text_of(saved));
  std::vector<std::byte> bytes(sizeof seal + saved.size());
  std::memcpy(bytes.data(), &seal, sizeof seal);
  if (!saved.empty()) std::memcpy(bytes.data() + sizeof seal, saved.data(), saved.size());
  return bytes;
}

std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::uint32_t structure) {
  Seal seal, found;
  if (bytes.size() < sizeof seal) throw Error("these bytes are no saved motion: too few");
  std::memcpy(&found, bytes.data(), sizeof found);
  if (std::memcmp(found.mark, seal.mark, sizeof seal.mark) != 0)
    throw Error("these bytes are no saved motion of this version");
  if (found.structure != structure)
    throw Error("the saved motion belongs to another machine: its parts or its friction laws are others");
  const auto saved = bytes.subspan(sizeof seal);
  if (found.checksum != crc32(text_of(saved))) throw Error("the saved motion is damaged: its checksum is another");
  return saved;
}

}  // namespace stickslip::inline machines
