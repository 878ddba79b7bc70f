/// The archive of an FMU, its binary, and what is refused.
#include "fmu/export_fmu.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "fmu/fmu_model.hpp"
#include "fmus.hpp"
#include "recording/tables/inflate.hpp"

namespace stickslip::export_fmu_test {
namespace {

using namespace importing;

/// Every entry of a zip, unpacked and its checksum compared.
std::map<std::string, std::string> unzipped(const std::string& zip) {
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::size_t(static_cast<unsigned char>(zip[at + i])) << (8 * i);
    return value;
  };
  std::map<std::string, std::string> entries;
  const std::size_t end = zip.size() - 22, count = number(end + 10, 2);
  std::size_t at = number(end + 16, 4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t method = number(at + 10, 2), check = number(at + 16, 4), packed = number(at + 20, 4);
    const std::size_t whole = number(at + 24, 4), name_length = number(at + 28, 2), start = number(at + 42, 4);
    const std::string name = zip.substr(at + 46, name_length);
    const std::string data = zip.substr(start + 30 + name_length, packed);
    std::string content = data;
    if (method == 8) {
      const auto plain = Inflater().all(data, Packing::deflate, whole);
      EXPECT_TRUE(plain.has_value()) << name;
      content = plain.value_or("");
      EXPECT_EQ(content.size(), whole) << name;
    }
    EXPECT_EQ(stickslip::crc32(content), check) << name;
    entries[name] = content;
    at += 46 + name_length;
  }
  return entries;
}

/// A folder with the binary to pack. With sanitizers it has hundreds of megabytes, which take minutes: its beginning stands for it.
struct BinaryToPack {
  std::string folder = STICKSLIP_FMU_FOLDER, file = STICKSLIP_FMU_BINARY;

  BinaryToPack() {
#ifdef STICKSLIP_SANITIZED
    const std::filesystem::path place =
        std::filesystem::temp_directory_path() / ("stickslip binary " + std::to_string(::getpid()));
    std::filesystem::create_directories(place / "x86_64-linux");
    const std::string whole = read_whole(STICKSLIP_FMU_BINARY);
    folder = place.string(), file = (place / "x86_64-linux" / "stickslip.so").string();
    write_whole(file, whole.substr(0, 1 << 18));
#endif
  }
  ~BinaryToPack() {
    if (folder != STICKSLIP_FMU_FOLDER) std::filesystem::remove_all(folder);
  }
  BinaryToPack(const BinaryToPack&) = delete;
};

TEST(Fmu, ArchiveHasWhatTheStandardAsksFor) {
  const BinaryToPack binary;
  for (const int version : {2, 3}) {
    FmuOptions options = with(0, version);
    options.binaries = binary.folder;
    const FmuFile fmu = export_fmu(example("stick_slip.toml"), options);
    const auto entries = unzipped(fmu.content);
    for (const std::string name :
         {"modelDescription.xml", "resources/content.txt", "resources/stick_slip.toml", "documentation/index.html"})
      EXPECT_EQ(entries.count(name), 1u) << name;
    const std::string place = version == 2 ? "binaries/linux64/stick_slip.so" : "binaries/x86_64-linux/stick_slip.so";
    ASSERT_EQ(entries.count(place), 1u);
    EXPECT_EQ(entries.at(place), read_whole(binary.file));
    EXPECT_EQ(entries.count(version == 2 ? "model.png" : "terminalsAndIcons/icon.png"), 1u);
    EXPECT_EQ(entries.at("modelDescription.xml"), fmu.description);
    const FmuContent content = parse_content(entries.at("resources/content.txt"));
    EXPECT_EQ(content_text(content), entries.at("resources/content.txt"));
    EXPECT_EQ(content_token(entries.at("resources/content.txt")), fmu.token);
  }
  // A source that has the name of the numbers does not take their place.
  FmuOptions options = with(0);
  options.binaries = binary.folder;
  const std::string text = read_whole(example("stick_slip.toml"));
  const FmuFile fmu = export_fmu(text, "content.txt", options);
  const auto entries = unzipped(fmu.content);
  EXPECT_EQ(entries.at("resources/content.txt"), fmu.resource);
  ASSERT_EQ(entries.count("resources/source_content.txt"), 1u);
  EXPECT_EQ(entries.at("resources/source_content.txt"), text);
}

#ifndef STICKSLIP_SANITIZED
TEST(Fmu, BinaryNeedsNothingYoungerThanGlibc229) {
  const std::string bytes = read_whole(STICKSLIP_FMU_BINARY);
  std::set<std::pair<int, int>> versions;
  for (std::size_t at = bytes.find("GLIBC_"); at != std::string::npos; at = bytes.find("GLIBC_", at + 1)) {
    int major = 0, minor = 0;
    if (std::sscanf(bytes.c_str() + at, "GLIBC_%d.%d", &major, &minor) == 2) versions.insert({major, minor});
  }
  ASSERT_FALSE(versions.empty());
  EXPECT_LE(*versions.rbegin(), (std::pair<int, int>{2, 29}));
  for (const char* library : {"libstdc++.so", "libgcc_s.so", "libz.so", "libpthread.so"})
    EXPECT_EQ(bytes.find(library), std::string::npos) << library;
}
#endif

TEST(Fmu, WhatCannotTravelIsRefusedInOneLine) {
  const auto refusal = [](const std::string& text, const FmuOptions& options) -> std::string {
    try {
      export_fmu(text, "axis.toml", options);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "nothing";
  };
  const std::string stick_slip = read_whole(example("stick_slip.toml"));
  EXPECT_NE(refusal(stick_slip, with(2)).find("a machine file contains its masses"), std::string::npos);
  EXPECT_NE(refusal(stick_slip, with(0, 4)).find("there is no FMI 4; supported are 2 and 3"), std::string::npos);
  FmuOptions nowhere = with(0);
  nowhere.binaries = "/nowhere";
  EXPECT_NE(refusal(stick_slip, nowhere).find("there is no FMU binary in '/nowhere'"), std::string::npos);
  EXPECT_NE(refusal(model_text(find_model("coulomb").description()), with(0)).find("give the mass"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::export_fmu_test
