/// Where tests find the shared recordings. They are not part of the source tree, so a test that reads one
/// starts with SKIP_WITHOUT_SHARED("data/emps/...") and is reported as skipped where the file is absent.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/places.hpp"

namespace stickslip {

/// Full path of a shared file or folder, named relative to the shared folder.
inline std::filesystem::path shared_path(const std::string& relative) {
  return std::filesystem::path(shared_dir()) / relative;
}

}  // namespace stickslip

/// A macro because GTEST_SKIP must return from the test itself.
#define SKIP_WITHOUT_SHARED(relative)                             \
  if (!std::filesystem::exists(stickslip::shared_path(relative))) \
  GTEST_SKIP() << stickslip::shared_path(relative).string() << " is not here; set STICKSLIP_SHARED_DIR"
