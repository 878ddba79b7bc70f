/// Saved motions with a seal: whose they are, and that no byte has changed. The bytes of a motion alone (machines/motion.hpp) tell
/// neither, and those of another law with as many numbers would be taken as its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machines/machine.hpp"

namespace stickslip::inline machines {

/// One number for machines that are made of the same parts with the same laws; their numbers may differ.
std::uint32_t structure_of(const Machine& machine);

/// `structure` may be any number where something else says whose they are.
std::vector<std::byte> sealed(std::span<const std::byte> saved, std::uint32_t structure);
/// What was sealed. Throws Error for a motion of another machine, and for bytes that are damaged.
std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::uint32_t structure);

}  // namespace stickslip::inline machines
