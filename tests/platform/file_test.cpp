/// A file is replaced whole, a locked file belongs to one, and reasons come back in words.
#include "platform/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "platform/path.hpp"

namespace stickslip::file_test {
namespace {

namespace fs = std::filesystem;

class PlatformFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("stickslip_file" + std::to_string(getpid()))).string();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return joined_path(folder_, name); }
  static std::string content_of(const std::string& path) {
    std::string content;
    FileIdentity identity;
    EXPECT_EQ(read_file(path, 1000, content, identity), "");
    EXPECT_EQ(identity, facts_of(path).identity);
    return content;
  }
  std::string folder_;
};

std::string replace_file(const std::string& path, std::string_view content) {
  FileDraft draft;
  const std::string problem = draft.write(path, content);
  return problem.empty() ? draft.take_name() : problem;
}

TEST_F(PlatformFile, IsReplacedWholeAndKeepsItsLinkAndPermissions) {
  EXPECT_EQ(replace_file(path("a"), "first"), "");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_directory(path("other"));
  fs::create_symlink("../a", path("other/link"));
  EXPECT_EQ(replace_file(path("other/link"), "second"), "");
  EXPECT_EQ(content_of(path("a")), "second");
  EXPECT_TRUE(fs::is_symlink(path("other/link")));
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2) << "nothing is left beside";
}

TEST_F(PlatformFile, LinksInACircleAreRefused) {
  fs::create_symlink("b", path("c"));
  fs::create_symlink("c", path("b"));
  EXPECT_EQ(replace_file(path("b"), "x"), "Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(path("b")));
}

TEST_F(PlatformFile, ReasonsAreWords) {
  std::string content;
  FileIdentity identity;
  EXPECT_EQ(read_file(path("none"), 10, content, identity), "No such file or directory");
  EXPECT_EQ(read_file(folder_, 10, content, identity), "it is a directory");
  EXPECT_EQ(replace_file(path("no/such"), "x"), "No such file or directory");
  EXPECT_EQ(facts_of(path("none")).kind, FileKind::none);
  EXPECT_EQ(facts_of("/dev/null").kind, FileKind::device);
  EXPECT_EQ(write_to("/dev/null", "x"), "");
}

TEST_F(PlatformFile, StopsReadingBehindTheMost) {
  EXPECT_EQ(replace_file(path("a"), std::string(200000, 'x')), "");
  EXPECT_EQ(facts_of(path("a")).size, 200000u);
  std::string content;
  FileIdentity identity;
  EXPECT_EQ(read_file(path("a"), 1000, content, identity), "");
  EXPECT_GT(content.size(), 1000u);
  EXPECT_LT(content.size(), 200000u);
}

TEST_F(PlatformFile, ALockedFileBelongsToOne) {
  LockedFile first, second;
  EXPECT_EQ(first.open(path("journal")), "");
  EXPECT_EQ(second.open(path("journal")), "");
  EXPECT_TRUE(first.lock());
  EXPECT_FALSE(second.lock());
  EXPECT_EQ(first.append("0123456789"), "");
  EXPECT_EQ(first.cut(4), "");
  EXPECT_EQ(first.append("ab"), "");
  first.sync();
  EXPECT_EQ(content_of(path("journal")), "0123ab");
  first.close();
  EXPECT_TRUE(second.lock()) << "given back";
  second.remove();
  EXPECT_FALSE(exists(path("journal")));
}

// Its owner ends between the two calls of the next one: a lock on the file that has lost its name would keep nobody out.
TEST_F(PlatformFile, ALockIsOnTheFileThatHasTheName) {
  LockedFile owner, next, third;
  EXPECT_EQ(owner.open(path("journal")), "");
  ASSERT_TRUE(owner.lock());
  EXPECT_EQ(next.open(path("journal")), "");
  owner.remove();
  ASSERT_TRUE(next.lock());
  EXPECT_EQ(next.append("mine"), "");
  EXPECT_EQ(content_of(path("journal")), "mine");
  EXPECT_EQ(third.open(path("journal")), "");
  EXPECT_FALSE(third.lock());
}

// --- signals in between ----------------------------------------------------------------------------------------------

std::atomic<int> signals_seen{0};

/// SIGALRM every millisecond, to this thread, and system calls that it interrupts are not taken up again by the system.
class Alarms {
 public:
  Alarms() {
    struct sigaction action {};
    action.sa_handler = [](int) { ++signals_seen; };
    action.sa_flags = 0;  // no SA_RESTART
    sigaction(SIGALRM, &action, nullptr);
    const itimerval every{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  ~Alarms() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    ::signal(SIGALRM, SIG_IGN);  // a last one may be on its way, and would end the program (it does under valgrind)
  }
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;
};

/// Another thread, which the alarms do not reach.
std::thread without_alarms(const std::function<void()>& work) {
  sigset_t alarm, before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, &before);
  std::thread thread(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// A pipe whose other end is slow: calls wait in it, and signals interrupt them.
TEST_F(PlatformFile, SignalsWhileItIsReadAndWrittenLoseNothing) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string sent(300'000, 'x'), got;
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = char('a' + i % 23);

  signals_seen = 0;
  {
    const Alarms alarms;
    std::thread reader = without_alarms([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // opening waits, too
      const int end = ::open(pipe.c_str(), O_RDONLY);
      std::string block(5000, '\0');
      for (ssize_t count = 1; count > 0;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        count = ::read(end, block.data(), block.size());
        if (count > 0) got.append(block, 0, std::size_t(count));
      }
      ::close(end);
    });
    EXPECT_EQ(write_to(pipe, sent), "");
    reader.join();
  }
  EXPECT_EQ(got, sent);
  EXPECT_GT(signals_seen, 10);

  signals_seen = 0;
  std::string content;
  FileIdentity identity;
  {
    const Alarms alarms;
    std::thread writer = without_alarms([&] {
      const int end = ::open(pipe.c_str(), O_WRONLY);
      for (std::size_t at = 0; at < sent.size(); at += 10'000) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        EXPECT_EQ(::write(end, sent.data() + at, 10'000), 10'000);
      }
      ::close(end);
    });
    EXPECT_EQ(read_file(pipe, 1 << 20, content, identity), "");
    writer.join();
  }
  EXPECT_EQ(content, sent);
  EXPECT_GT(signals_seen, 10);
}

}  // namespace
}  // namespace stickslip::file_test
