/// The kept inputs of the fuzzer, and the valid ones it began with, through the same functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "core/random.hpp"
#include "fuzz/targets.hpp"
#include "support/cases.hpp"
#include "support/places.hpp"

namespace stickslip::corpus_test {
namespace {

namespace fs = std::filesystem;

fuzz::Target named(const std::string& name) {
  for (const fuzz::Target& target : fuzz::all_targets())
    if (target.name == name) return target;
  throw Error("no target " + name);
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadOrRefusedInOneLine) {
  const fuzz::Target target = named(GetParam());
  for (const std::string& seed : target.seeds()) EXPECT_NO_THROW(target.take(seed)) << seed.substr(0, 60);
  const fs::path kept = fs::path(source_dir()) / "tests/fuzz/corpus" / GetParam();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kept)) files.push_back(entry.path());
  EXPECT_GT(files.size(), 3u);
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    EXPECT_NO_THROW(target.take(bytes.str())) << file;
  }
}
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& target : fuzz::all_targets()) all.push_back(target.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Kept, Corpus, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

/// One kind of damage: bytes change, are lost, are repeated, are replaced by an absurd number, or come from another file.
std::string damaged(std::string bytes, const std::vector<std::string>& seeds, Random& random) {
  static const std::vector<std::string> hostile{"nan",   "-1",     "0",    "1e308", "1e-320", "18446744073709551616",
                                                "[",     "[[a]]",  "\"",   "\n",    "= {",    "\"1 banana\"",
                                                "inf N", "0x7f.1", "\xff", "a.b.c"};
  const auto somewhere = [&] { return random.below(bytes.size() + 1); };
  for (std::size_t times = 1 + random.below(3); times-- > 0;) {
    const std::size_t at = somewhere(), length = std::min<std::size_t>(1 + random.below(24), bytes.size() - at);
    const std::string& other = seeds[random.below(seeds.size())];
    switch (random.below(7)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4: {  // the number there
        const std::size_t from = bytes.find_first_of("0123456789", at);
        if (from == std::string::npos) break;
        bytes.replace(from, std::min(bytes.find_first_not_of("0123456789.e-", from), bytes.size()) - from,
                      hostile[random.below(hostile.size())]);
        break;
      }
      case 5:
        bytes.insert(at, hostile[random.below(hostile.size())]);
        break;
      default: {  // a line or some bytes of another file
        const std::size_t from = random.below(other.size() + 1);
        bytes.insert(at,
                     other.substr(from, random.below(2) ? other.find('\n', from) - from + 1 : 1 + random.below(40)));
      }
    }
  }
  return bytes;
}

// The same without a fuzzer: seeds with some damage. scripts/properties draws more of them.
TEST_P(Corpus, SeedsWithSomeDamageAreReadOrRefusedInOneLine) {
  const fuzz::Target target = named(GetParam());
  const std::vector<std::string> seeds = target.seeds();
  const std::size_t first = test::first_case(), all = test::cases(60);
  for (std::size_t number = first; number < first + all; ++number) {
    Random random(1 + 31 * number);
    const std::string bytes = damaged(seeds[number % seeds.size()], seeds, random);
    try {
      target.take(bytes);
    } catch (const std::exception& finding) {
      ADD_FAILURE() << "case " << number << ": " << finding.what() << "\n" << bytes.substr(0, 3000);
      return;
    }
  }
}

// What a finding looks like: anything but an Error of one line.
TEST(FuzzTargets, NoticeWhatIsNoRefusal) {
  using fuzz::BrokenPromise;
  using fuzz::reads_or_refuses;
  using Read = void (*)();
  EXPECT_NO_THROW(reads_or_refuses<Read>([] {}));
  EXPECT_NO_THROW(reads_or_refuses<Read>([] { throw Error("a.toml:3: mass is -1 kg"); }));
  EXPECT_THROW(reads_or_refuses<Read>([] { throw Error("two\nlines"); }), BrokenPromise);
  EXPECT_THROW(reads_or_refuses<Read>([] { throw Error(""); }), BrokenPromise);
  EXPECT_THROW(reads_or_refuses<Read>([] { throw Error(std::string(5000, 'x')); }), BrokenPromise);
  EXPECT_THROW(reads_or_refuses<Read>([] { throw std::out_of_range("at"); }), std::out_of_range);
}

}  // namespace
}  // namespace stickslip::corpus_test
