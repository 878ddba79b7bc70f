/// The runtime of C++ exceptions on WebAssembly, which Debian's libc++abi is built without: what the code that clang makes of
/// throw, try and catch calls (-fwasm-exceptions), and what std::exception_ptr is made of. The names are those of the Itanium
/// C++ ABI. The engine unwinds; here is decided which handler takes an exception, by the tables that clang writes.
/// Also here: operator new that throws, where that of the library would end the program.
/// One thread. Not here: exception specifications other than noexcept, exceptions of other languages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

namespace __cxxabiv1 {

/// As libc++abi lays it out: its type_info objects know which thrown types a handler takes.
class __shim_type_info : public std::type_info {
 public:
  virtual ~__shim_type_info();
  virtual void noop1() const;
  virtual void noop2() const;
  virtual bool can_catch(const __shim_type_info* thrown, void*& adjusted) const = 0;
};

}  // namespace __cxxabiv1

namespace {

using TypeInfo = __cxxabiv1::__shim_type_info;

/// Stands before a thrown object. One that std::rethrow_exception throws has no object of its own, but refers to another.
struct Thrown {
  std::type_info* type;
  void* (*destroy)(void*);  // on WebAssembly a destructor returns its object
  Thrown* primary;          // whose object it is; itself, but for one thrown again
  Thrown* below;            // caught before this one
  void* adjusted;           // the object as the handler's type sees it
  int handlers;             // that have begun and not ended
  int references;           // itself while it flies or is handled, and exception_ptrs
  bool is_rethrown;
  alignas(16) char flying[16];  // the engine carries the address of this
};
static_assert(sizeof(Thrown) % 16 == 0, "the object behind it is aligned");

Thrown* caught = nullptr;
int flying_count = 0;

Thrown* before(void* object) { return static_cast<Thrown*>(object) - 1; }
Thrown* around(void* flying) {
  return reinterpret_cast<Thrown*>(static_cast<char*>(flying) - offsetof(Thrown, flying));
}
void* object_of(Thrown* t) { return t->primary + 1; }

void release(Thrown* t) {
  if (--t->references > 0) return;
  Thrown* const primary = t->primary;
  if (primary != t)
    release(primary);
  else if (t->destroy)
    t->destroy(t + 1);
  std::free(t);
}

Thrown* allocated(std::size_t object_size) {
  void* const memory = std::malloc(sizeof(Thrown) + object_size);
  if (!memory) std::terminate();
  std::memset(memory, 0, sizeof(Thrown));
  auto* const t = static_cast<Thrown*>(memory);
  t->primary = t;
  return t;
}

[[noreturn]] void fly(Thrown* t) {
  ++flying_count;
  __builtin_wasm_throw(0, t->flying);
}

std::uintptr_t read_unsigned(const unsigned char*& at) {
  std::uintptr_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char byte = *at++;
    value |= std::uintptr_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}
std::intptr_t read_signed(const unsigned char*& at) {
  std::uintptr_t value = 0;
  for (unsigned shift = 0;;) {
    const unsigned char byte = *at++;
    value |= std::uintptr_t(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if ((byte & 0x40) && shift < 32) value |= ~std::uintptr_t(0) << shift;
    return std::intptr_t(value);
  }
}

/// Whether the handler takes it; then the object is adjusted to the handler's type. No type: catch (...).
bool takes(const TypeInfo* wanted, Thrown* t) {
  void* object = object_of(t);
  if (wanted && !wanted->can_catch(static_cast<const TypeInfo*>(t->type), object)) return false;
  t->adjusted = object;
  return true;
}

constexpr int found_handler = 6, continue_unwind = 8;  // _URC_HANDLER_FOUND, _URC_CONTINUE_UNWIND

}  // namespace

extern "C" {

/// Filled by the code of a landing pad: which one it is, and the tables of its function.
struct {
  std::uintptr_t index, tables, selector;
} __wasm_lpad_context;

void* __cxa_allocate_exception(std::size_t size) noexcept { return allocated(size) + 1; }
void __cxa_free_exception(void* object) noexcept { std::free(before(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Thrown* const t = before(object);
  t->type = type, t->destroy = destroy, t->references = 1;
  fly(t);
}

void* __cxa_get_exception_ptr(void* flying) noexcept {
  Thrown* const t = around(flying);
  return t->adjusted ? t->adjusted : object_of(t);
}

void* __cxa_begin_catch(void* flying) noexcept {
  Thrown* const t = around(flying);
  --flying_count;
  if (t != caught) t->below = caught, caught = t;
  ++t->handlers;
  t->is_rethrown = false;
  return t->adjusted ? t->adjusted : object_of(t);
}

void __cxa_end_catch() {
  Thrown* const t = caught;
  if (!t || --t->handlers > 0) return;
  caught = t->below;
  if (!t->is_rethrown) release(t);
}

[[noreturn]] void __cxa_rethrow() {
  if (!caught) std::terminate();
  caught->is_rethrown = true;
  fly(caught);
}

std::type_info* __cxa_current_exception_type() { return caught ? caught->type : nullptr; }
unsigned __cxa_uncaught_exceptions() noexcept { return static_cast<unsigned>(flying_count); }
bool __cxa_uncaught_exception() noexcept { return flying_count > 0; }

// --- std::exception_ptr ------------------------------------------------------------------------------------------------

void __cxa_increment_exception_refcount(void* object) noexcept {
  if (object) ++before(object)->references;
}
void __cxa_decrement_exception_refcount(void* object) noexcept {
  if (object) release(before(object));
}
void* __cxa_current_primary_exception() noexcept {
  if (!caught) return nullptr;
  ++caught->primary->references;
  return caught->primary + 1;
}
void __cxa_rethrow_primary_exception(void* object) {
  if (!object) return;
  Thrown* const t = allocated(0);
  t->primary = before(object);
  ++t->primary->references;
  t->type = t->primary->type, t->references = 1;
  fly(t);
}

// --- the choice of a handler -------------------------------------------------------------------------------------------

/// Called by every landing pad. The tables: encodings and the end of the types; a row per landing pad with its first action;
/// actions, each with a type (counted back from the end of the types) and the distance to the next.
int _Unwind_CallPersonality(void* flying) {
  Thrown* const t = around(flying);
  __wasm_lpad_context.selector = 0;
  const auto* at = reinterpret_cast<const unsigned char*>(__wasm_lpad_context.tables);
  if (!at) return continue_unwind;
  constexpr unsigned char omitted = 0xff;
  if (*at++ != omitted) std::terminate();  // the base of landing pads, which WebAssembly does not have
  const bool has_types = *at++ != omitted;
  const unsigned char* types = nullptr;
  if (has_types) {
    const std::uintptr_t distance = read_unsigned(at);
    types = at + distance;
  }
  ++at;  // how the rows are written
  const std::uintptr_t length = read_unsigned(at);
  const unsigned char* const actions = at + length;
  std::uintptr_t first_action = 0;
  for (std::uintptr_t row = 0; row <= __wasm_lpad_context.index; ++row) {
    read_unsigned(at);  // its number
    first_action = read_unsigned(at);
  }
  if (first_action == 0) return continue_unwind;
  for (const unsigned char* action = actions + (first_action - 1);;) {
    const std::intptr_t type = read_signed(action);
    if (type > 0) {
      const TypeInfo* wanted = nullptr;
      std::memcpy(&wanted, types - static_cast<std::size_t>(type) * sizeof wanted, sizeof wanted);
      if (takes(wanted, t)) {
        __wasm_lpad_context.selector = static_cast<std::uintptr_t>(type);
        return found_handler;
      }
    }
    const unsigned char* const here = action;
    const std::intptr_t next = read_signed(action);
    if (next == 0) return continue_unwind;
    action = here + next;
  }
}

void _Unwind_DeleteException(void*) {}

}  // extern "C"

// --- memory ------------------------------------------------------------------------------------------------------------

void* operator new(std::size_t size) {
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
