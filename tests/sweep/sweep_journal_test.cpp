/// A journal gives back what was added, whatever happened to its end.
#include "sweep/sweep_journal.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "cli/program.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"

namespace stickslip::sweep_journal_test {
namespace {

SweepRows numbered(std::size_t runs) {
  SweepRows rows(runs, 2);
  for (std::size_t i = 0; i < runs; ++i) rows.row(i)[0] = double(i), rows.row(i)[1] = i == 3 ? NAN : 0.5;
  rows.remarks[3] = "rod.toml:4: mass is 0 kg";
  return rows;
}

TEST(SweepJournal, GivesBackBlocksInAnyOrderWithTheirRemarks) {
  const Folder folder;
  const SweepRows rows = numbered(10);
  {
    SweepRows none(10, 2);
    SweepJournal journal((folder / "j").string(), 42, none);
    journal.add(rows, 6, 2);
    journal.add(rows, 0, 4);
  }
  SweepRows found(10, 2);
  const SweepJournal again((folder / "j").string(), 42, found);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(found.is_done[i], i < 4 || i == 6 || i == 7);
    EXPECT_EQ(found.row(i)[0], found.is_done[i] ? double(i) : 0);
  }
  EXPECT_TRUE(std::isnan(found.row(3)[1]));
  EXPECT_EQ(found.remarks.at(3), "rod.toml:4: mass is 0 kg");
}

TEST(SweepJournal, AnotherKindOfFileIsCalledSo) {
  const Folder folder;
  const std::string path = (folder / "j").string();
  folder.write("j", "t,x\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n7,8\n8,9\n");
  SweepRows rows(4, 2);
  for (const bool merging : {false, true}) try {
      if (merging)
        take_sweep_journal(path, 42, 0, rows);
      else
        const SweepJournal journal(path, 42, rows);
      FAIL();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("is not a journal of this version's sweeps"), std::string::npos) << e.what();
    }
}

// Numbers of two instruction sets differ in their last digits: they are not mixed.
TEST(SweepJournal, OfAMachineWithOtherNumbersIsRefused) {
  const Folder folder;
  SweepRows rows = numbered(4);
  { SweepJournal(((folder / "j").string()), 42, rows, 7).add(rows, 0, 2); }
  SweepRows same(4, 2), other(4, 2);
  { const SweepJournal again((folder / "j").string(), 42, same, 7); }
  EXPECT_TRUE(same.is_done[1]);
  try {
    const SweepJournal elsewhere((folder / "j").string(), 42, other, 8);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("was started with other vector instructions or another C library"),
              std::string::npos)
        << e.what();
  }
  EXPECT_FALSE(other.is_done[1]);
}

TEST(SweepJournal, CutAnywhereOrDamagedItKeepsTheWholeBlocksBefore) {
  const Folder folder;
  const SweepRows rows = numbered(10);
  {
    SweepRows none(10, 2);
    SweepJournal journal((folder / "j").string(), 42, none);
    journal.add(rows, 0, 2);
    journal.add(rows, 2, 3);
  }
  const std::string whole = text_of(folder / "j");
  const std::size_t header = 26 + 24, first = header + 24 + 2 * 16 + 8;
  ASSERT_GT(whole.size(), first);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    folder.write("cut", whole.substr(0, length));
    SweepRows found(10, 2);
    {
      SweepJournal journal((folder / "cut").string(), 42, found);
      EXPECT_EQ(found.is_done[0], length >= first) << length;
      EXPECT_FALSE(found.is_done[2]) << length;
      journal.add(rows, 2, 3);  // resumes where the whole blocks end
    }
    SweepRows later(10, 2);
    const SweepJournal journal((folder / "cut").string(), 42, later);
    EXPECT_TRUE(later.is_done[4]) << length;
    EXPECT_EQ(later.is_done[0], length >= first) << length;
  }
  std::string damaged = whole;
  damaged[first + 30] = char(damaged[first + 30] ^ 1);
  folder.write("damaged", damaged);
  SweepRows found(10, 2);
  const SweepJournal journal((folder / "damaged").string(), 42, found);
  EXPECT_TRUE(found.is_done[1]);
  EXPECT_FALSE(found.is_done[2]);
}

TEST(SweepJournal, OfAnotherSweepIsRefusedAndLeftAlone) {
  const Folder folder;
  SweepRows rows = numbered(10);
  { SweepJournal((folder / "j").string(), 42, rows).add(rows, 0, 10); }
  const std::string before = text_of(folder / "j");
  SweepRows none(10, 2);
  try {
    SweepJournal((folder / "j").string(), 43, none);
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("--restart starts over"), std::string::npos) << problem.what();
  }
  EXPECT_EQ(text_of(folder / "j"), before);
}

TEST(SweepJournal, TwoSweepsCannotShareOne) {
  const Folder folder;
  SweepRows rows = numbered(4);
  const SweepJournal journal((folder / "j").string(), 42, rows);
  EXPECT_THROW(SweepJournal((folder / "j").string(), 42, rows), Error);
}

// --restart took the journal away from a sweep that was writing to it.
TEST(SweepJournal, ThatAnotherSweepWritesToIsNotDiscarded) {
  const Folder folder;
  const std::string path = (folder / "j").string();
  SweepRows rows = numbered(4);
  {
    const SweepJournal journal(path, 42, rows);
    EXPECT_THROW(discard_sweep_journal(path), Error);
    EXPECT_TRUE(fs::exists(path));
  }
  discard_sweep_journal(path);
  EXPECT_FALSE(fs::exists(path));
  discard_sweep_journal(path);  // none is there: nothing to do
}

// A pipe of the journal's name was opened for both ends and read without end, and SIGTERM did not end that.
TEST(SweepJournal, ThatIsAPipeIsRefusedAtOnce) {
  const Folder folder;
  const std::string path = (folder / "j").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  SweepRows rows = numbered(4);
  alarm(20);  // ends the test where it waits
  EXPECT_THROW(SweepJournal(path, 42, rows), Error);
  alarm(0);
}

// A block with the right sum whose remarks are no remarks, or of other runs, ended in an exception of the standard library.
TEST(SweepJournal, ABlockWithSenselessRemarksIsNotTaken) {
  const std::vector<double> values(2 * 2, 0.5);
  for (const char* remark : {"x\ty\n", "99999999999999999999\ty\n", "7\ty\n", "no tab\n", "1\tno end", "\t\n"}) {
    std::string block = sweep_block(0, 2, 2, values.data(), {});
    block.resize(block.size() - 8);
    const std::uint64_t length = std::string(remark).size();
    std::memcpy(block.data() + 16, &length, sizeof length);
    block += remark;
    const std::uint64_t sum = crc32(block);
    block.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    SweepRows rows(10, 2);
    EXPECT_EQ(take_sweep_block(block, rows), 0u) << remark;
    EXPECT_FALSE(rows.is_done[0]) << remark;
  }
  SweepRows rows(10, 2);
  EXPECT_GT(take_sweep_block(sweep_block(0, 2, 2, values.data(), {{1, "mass is 0 kg"}}), rows), 0u);
  EXPECT_EQ(rows.remarks.at(1), "mass is 0 kg");
}

// A short file of somebody else at the journal's place was taken for a journal that had just begun, and overwritten.
TEST(SweepJournal, AShortFileOfSomebodyElseIsLeftAlone) {
  const Folder folder;
  folder.write("j", "my notes\n");
  SweepRows rows(4, 2);
  EXPECT_THROW(SweepJournal((folder / "j").string(), 42, rows), Error);
  EXPECT_EQ(text_of(folder / "j"), "my notes\n");
}

}  // namespace
}  // namespace stickslip::sweep_journal_test
