/// The few functions of the C library that are younger than glibc 2.29 and that parts of the library refer to. They are defined here,
/// hidden, so that the binary loads wherever glibc is 2.29 or newer. An FMU starts no threads and waits for none: those that would are refused.
#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

#pragma GCC diagnostic ignored "-Wmissing-declarations"

HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

HIDDEN int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) noexcept { return EAGAIN; }
/// Nobody calls it: the unwinder looks at its address to know whether there may be threads.
HIDDEN int __pthread_key_create(pthread_key_t*, void (*)(void*)) noexcept { return EAGAIN; }
HIDDEN int pthread_join(pthread_t, void**) { return ESRCH; }
HIDDEN int pthread_detach(pthread_t) noexcept { return ESRCH; }
HIDDEN int pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*) {
  return ETIMEDOUT;
}

/// 0: not yet, 1: somebody is at it, 2: done. A call that throws leaves it undone.
HIDDEN int pthread_once(pthread_once_t* control, void (*routine)()) {
  auto& state = reinterpret_cast<std::atomic<int>&>(*control);
  static_assert(sizeof(pthread_once_t) == sizeof(std::atomic<int>));
  while (state.load(std::memory_order_acquire) != 2) {
    int expected = 0;
    if (!state.compare_exchange_strong(expected, 1, std::memory_order_acq_rel)) {
      ::sched_yield();
      continue;
    }
    try {
      routine();
    } catch (...) {
      state.store(0, std::memory_order_release);
      throw;
    }
    state.store(2, std::memory_order_release);
  }
  return 0;
}

// struct stat is what the kernel fills in on 64-bit systems.
HIDDEN int stat(const char* path, struct stat* facts) noexcept {
  return static_cast<int>(::syscall(SYS_newfstatat, AT_FDCWD, path, facts, 0));
}
HIDDEN int fstat(int file, struct stat* facts) noexcept {
  return static_cast<int>(::syscall(SYS_newfstatat, file, "", facts, AT_EMPTY_PATH));
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/// What the unwinder inside the binary asks of glibc 2.35: the object around an address, and its table of frames.
HIDDEN int _dl_find_object(void* address, dl_find_object* found) noexcept {
  struct Search {
    const char* at;
    dl_find_object* found;
  } search{static_cast<const char*>(address), found};
  const auto look = [](dl_phdr_info* object, std::size_t, void* given) {
    const Search& wanted = *static_cast<const Search*>(given);
    dl_find_object all{};
    bool is_inside = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      char* const begin = reinterpret_cast<char*>(object->dlpi_addr + part.p_vaddr);
      if (part.p_type == PT_GNU_EH_FRAME) all.dlfo_eh_frame = begin;
      if (part.p_type != PT_LOAD || wanted.at < begin || wanted.at >= begin + part.p_memsz) continue;
      is_inside = true;
      all.dlfo_map_start = begin, all.dlfo_map_end = begin + part.p_memsz;
    }
    if (!is_inside || !all.dlfo_eh_frame) return 0;
    *wanted.found = all;
    return 1;
  };
  return ::dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
#endif

#endif
