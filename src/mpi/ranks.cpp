/// The ranks of an MPI program; see ranks.hpp.
#include "ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/instruction_set.hpp"
#include "core/number_signature.hpp"
#include "core/text.hpp"
#include "platform/file.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline mpi {
namespace {

constexpr int result_tag = 1, task_tag = 2;
constexpr std::uint64_t no_task = ~std::uint64_t(0);
enum class Answer : char { ready = 'r', result = '+', nothing = '0', error = 'e' };

thread_local bool is_inside_task = false;

void pause() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

/// Waits without taking the core away from others.
void wait_for(MPI_Request& request) {
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    pause();
  }
}

int length_of(const std::string& bytes) {
  if (bytes.size() > INT_MAX) throw Error("a message of more than 2 GB cannot be sent to another rank");
  return static_cast<int>(bytes.size());
}

void put(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// answer, task, bytes
std::string message_of(Answer answer, std::size_t task, std::string_view bytes) {
  std::string message(1, static_cast<char>(answer));
  put(message, task);
  message += bytes;
  return message;
}

/// A task done here, whatever comes of it.
std::string done_here(const Workers::Task& task, std::size_t i) {
  is_inside_task = true;
  std::string message;
  try {
    const std::optional<std::string> result = task(i);
    message = message_of(result ? Answer::result : Answer::nothing, i, result ? *result : "");
  } catch (const std::exception& problem) {
    message = message_of(Answer::error, i, problem.what());
  }
  is_inside_task = false;
  return message;
}

/// The program itself: two builds of one version may differ.
std::string program_fingerprint() {
  std::string bytes;
  FileIdentity identity;
  const std::string problem = read_file("/proc/self/exe", std::uint64_t(1) << 32, bytes, identity);
  return problem.empty() ? fingerprint_of(bytes) : "unknown";
}

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return one_line(std::string(name, static_cast<std::size_t>(length)), 80);
}

constexpr char field = '\x1f', fact_end = '\x1e', refused = '!';

}  // namespace

Ranks::Ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  hosts_ = all_have(host_name());
}

/// What each rank has, in the order of the ranks.
std::vector<std::string> Ranks::all_have(const std::string& mine) const {
  const int length = length_of(mine);
  std::vector<int> lengths(count()), begins(count());
  MPI_Request request;
  MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  wait_for(request);
  int total = 0;
  for (std::size_t i = 0; i < count(); ++i) begins[i] = total, total += lengths[i];
  std::string bytes(static_cast<std::size_t>(total), '\0');
  MPI_Iallgatherv(mine.data(), length, MPI_CHAR, bytes.data(), lengths.data(), begins.data(), MPI_CHAR, MPI_COMM_WORLD,
                  &request);
  wait_for(request);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count(); ++i)
    all.push_back(bytes.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  return all;
}

std::string Ranks::told_by_first(std::string bytes) const {
  int length = length_of(bytes);
  MPI_Request request;
  MPI_Ibcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait_for(request);
  bytes.resize(static_cast<std::size_t>(length));
  MPI_Ibcast(bytes.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  wait_for(request);
  return bytes;
}

/// (1).
void Ranks::meet(char what) {
  const std::string told = told_by_first(std::string(1, what));
  if (is_first()) return;
  if (told == ".") {
    has_ended_ = true;
    throw FirstHasEnded{};
  }
  if (told.front() != what) throw std::logic_error("ranks do not run the same program");
}

// --- the beginning and the end ---------------------------------------------------------------------------------------

void Ranks::have_one_command(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(one_line(word, 4096));
  compare(all_have(std::string("command line") + field + joined(quoted, " ") + fact_end));
  if (disagreement_.empty()) return;
  has_agreed_ = true;
  throw Error(disagreement_);
}

void Ranks::take_narrowest_instructions() {
  InstructionSet narrowest = widest_instruction_set();
  std::string mine;
  try {
    const char* const wanted = std::getenv("STICKSLIP_INSTRUCTIONS");
    narrowest = instruction_set_named(wanted ? wanted : "");
    mine = name_of(narrowest);
  } catch (const Error& problem) {
    mine = refused + std::string(problem.what());
  }
  const std::vector<std::string> all = all_have(mine);
  if (std::any_of(all.begin(), all.end(), [](const std::string& text) { return text.starts_with(refused); })) {
    compare(all);
    has_agreed_ = true;
    throw Error(disagreement_);
  }
  for (const std::string& name : all)
    for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
      if (name_of(set) == name) narrowest = std::min(narrowest, set);
  setenv("STICKSLIP_INSTRUCTIONS", std::string(name_of(narrowest)).c_str(), 1);
}

/// "rank 3 (node7)", "ranks 0, 1, 5 (node1, node2)"
std::string Ranks::ranks_text(const std::vector<int>& ranks) const {
  std::vector<std::string> numbers, hosts;
  for (const int rank : ranks) {
    numbers.push_back(std::to_string(rank));
    const std::string& host = hosts_[static_cast<std::size_t>(rank)];
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + one_line(joined(numbers), 60) + " (" + one_line(joined(hosts), 60) +
         ")";
}

/// Sets what differs in words; nothing if all is the same.
void Ranks::compare(const std::vector<std::string>& all) {
  std::map<std::string, std::vector<int>> reasons;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].empty() && all[i].front() == refused) reasons[all[i].substr(1)].push_back(static_cast<int>(i));
  if (!reasons.empty()) {
    const auto& [reason, ranks] = *reasons.begin();
    disagreement_ = ranks.size() == count() ? reason : ranks_text(ranks) + ": " + reason;
    return;
  }
  std::map<std::string, std::map<std::string, std::vector<int>>> values;  // of a fact: who has which
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t at = 0; at < all[i].size();) {
      const std::size_t end = all[i].find(fact_end, at), middle = all[i].find(field, at);
      values[all[i].substr(at, middle - at)][all[i].substr(middle + 1, end - middle - 1)].push_back(
          static_cast<int>(i));
      at = end + 1;
    }
  std::vector<std::string> differences;
  for (const auto& [name, who] : values) {
    if (who.size() == 1) continue;
    std::vector<std::string> parts;
    for (const auto& [value, ranks] : who) parts.push_back(one_line(value, 60) + " in " + ranks_text(ranks));
    differences.push_back(name + ": " + one_line(joined(parts), 400));
  }
  if (differences.empty()) return;
  disagreement_ = "the ranks would compute different numbers; " + joined(differences, "; ");
  if (disagreement_.find("vector instructions: ") != std::string::npos)
    disagreement_ += "; --common-instructions takes what all of them have";
  else if (disagreement_.find("C library") != std::string::npos)
    disagreement_ += "; take machines of one kind, or one GLIBC_TUNABLES for all";
}

void Ranks::agree(const std::vector<Fact>& facts) {
  const std::string signature = number_signature();
  const std::size_t dash = signature.find('-');
  std::vector<Fact> all = facts;
  all.push_back({"version", std::string(version())});
  all.push_back({"program", program_fingerprint()});
  all.push_back({"vector instructions", signature.substr(0, dash)});
  all.push_back({"results of the C library", signature.substr(dash + 1)});
  std::string mine;
  for (const Fact& fact : all) mine += fact.name + field + fact.value + fact_end;
  compare(all_have(mine));
  has_agreed_ = true;
  if (!disagreement_.empty()) throw Error(disagreement_);
}

void Ranks::refuse(const std::string& reason) {
  failure_ = one_line(reason, 400);
  if (has_agreed_) return;
  compare(all_have(refused + reason));
  has_agreed_ = true;
}

void Ranks::finish() {
  if (has_ended_) return;
  has_ended_ = true;
  if (told_by_first(".") == ".") return;
  // This rank alone has stopped, and the others would wait for it.
  std::fprintf(stderr, "rank %d (%s): %s\n", rank_, hosts_[static_cast<std::size_t>(rank_)].c_str(), failure_.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

// --- work ------------------------------------------------------------------------------------------------------------

std::string Ranks::from_first(std::string bytes) {
  if (is_inside_task) return bytes;
  meet('b');
  return told_by_first(std::move(bytes));
}

/// Rank 0: tasks to ranks that ask for one, results to `take`; a second thread works here.
void Ranks::hand_out(std::size_t tasks, const Task& task, const Take& take, std::map<std::size_t, std::string>* kept) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_idle{false};
  std::mutex results_mutex;
  std::vector<std::string> results;  // of the second thread
  std::map<std::size_t, std::string> errors;
  std::exception_ptr problem;  // of `take`: nothing more is begun
  const auto next_task = [&] {
    const std::size_t i = next++;
    return i < tasks ? static_cast<std::uint64_t>(i) : no_task;
  };
  std::thread helper([&] {
    for (std::uint64_t i = next_task(); i != no_task; i = next_task()) {
      std::string message = done_here(task, static_cast<std::size_t>(i));
      const std::lock_guard lock(results_mutex);
      results.push_back(std::move(message));
    }
    is_idle = true;
  });
  const auto took = [&](const std::string& message) {
    const auto i = static_cast<std::size_t>(number_at(message, 1));
    const auto answer = static_cast<Answer>(message.front());
    const std::string_view bytes = std::string_view(message).substr(1 + sizeof(std::uint64_t));
    if (answer == Answer::error) errors[i] = bytes;
    if (answer != Answer::result || problem) return;
    try {
      take(i, bytes);
      if (kept) (*kept)[i] = bytes;
    } catch (...) {
      problem = std::current_exception();
      next = tasks;
    }
  };
  int working = size_ - 1;
  for (bool is_over = false; !is_over;) {
    const bool was_idle = is_idle;  // before the look: what came until then is taken below
    std::vector<std::string> mine;
    {
      const std::lock_guard lock(results_mutex);
      mine.swap(results);
    }
    for (const std::string& message : mine) took(message);
    MPI_Status status;
    int has_come = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &has_come, &status);
    if (has_come) {
      int length = 0;
      MPI_Get_count(&status, MPI_CHAR, &length);
      std::string message(static_cast<std::size_t>(length), '\0');
      MPI_Recv(message.data(), length, MPI_CHAR, status.MPI_SOURCE, result_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const std::uint64_t more = next_task();
      MPI_Send(&more, 1, MPI_UINT64_T, status.MPI_SOURCE, task_tag, MPI_COMM_WORLD);
      if (more == no_task) --working;
      if (static_cast<Answer>(message.front()) != Answer::ready) took(message);
    } else if (mine.empty()) {
      pause();
    }
    is_over = working == 0 && was_idle && mine.empty() && !has_come;
  }
  helper.join();
  if (problem) std::rethrow_exception(problem);
  if (!errors.empty()) throw Error(errors.begin()->second);
}

/// (2).
void Ranks::work(const Task& task) const {
  std::string message = message_of(Answer::ready, 0, "");
  for (;;) {
    MPI_Request request;
    std::uint64_t i = no_task;
    MPI_Send(message.data(), length_of(message), MPI_CHAR, 0, result_tag, MPI_COMM_WORLD);
    MPI_Irecv(&i, 1, MPI_UINT64_T, 0, task_tag, MPI_COMM_WORLD, &request);
    wait_for(request);
    if (i == no_task) return;
    message = done_here(task, static_cast<std::size_t>(i));
  }
}

void Ranks::share(std::size_t tasks, Audience audience, const Task& task, const Take& take) {
  if (is_inside_task) return Threads(1).share(tasks, audience, task, take);
  meet('s');
  std::map<std::size_t, std::string> kept;
  if (is_first())
    hand_out(tasks, task, take, audience == Audience::all ? &kept : nullptr);
  else
    work(task);
  if (audience == Audience::first) return;
  std::string bytes;
  for (const auto& [i, result] : kept) {
    put(bytes, i), put(bytes, result.size());
    bytes += result;
  }
  bytes = from_first(std::move(bytes));
  if (is_first()) return;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto i = static_cast<std::size_t>(number_at(bytes, at)),
               length = static_cast<std::size_t>(number_at(bytes, at + 8));
    take(i, std::string_view(bytes).substr(at + 16, length));
    at += 16 + length;
  }
}

}  // namespace stickslip::inline mpi
