/// What the page (web/engine.js) does for the program inside it. Names and texts are bytes in the program's memory.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__wasm__)
#define STICKSLIP_FROM_PAGE(name) __attribute__((import_module("page"), import_name(#name)))
#else
#define STICKSLIP_FROM_PAGE(name)
#endif

extern "C" {

/// How many bytes the page has of a task's result, tag included; -1: none yet.
STICKSLIP_FROM_PAGE(result_size) std::int32_t page_result_size(std::uint32_t call, std::uint32_t task);
/// Copies them.
STICKSLIP_FROM_PAGE(result_bytes) void page_result_bytes(std::uint32_t call, std::uint32_t task, char* into);
/// A task that this program is to do now. Does not return if there is none: the page restarts this program when it knows more.
STICKSLIP_FROM_PAGE(next_task) std::uint32_t page_next_task(std::uint32_t call, std::uint32_t tasks);
/// A task was done.
STICKSLIP_FROM_PAGE(keep_result)
void page_keep_result(std::uint32_t call, std::uint32_t task, const char* bytes, std::size_t size);
}
