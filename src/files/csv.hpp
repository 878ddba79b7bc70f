/// A Table as comma-separated text: one header line "time_s,velocity_m_s,force_N", one line per row, every number in
/// the fewest digits that read back exactly, lines ended by \n. Not a number is "nan", as NumPy and pandas read it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"

namespace stickslip::inline files {

/// Name and unit as one word: velocity in "m/s^2" is "velocity_m_s2"; a plain number keeps its bare name.
std::string header(const Column& column);

/// Throws Error if columns differ in length or two headers are the same.
std::string to_csv(const Table& table);
/// With a last column of words. Throws Error also if it has other rows.
std::string to_csv(const Table& table, const std::string& heading, const std::vector<std::string_view>& words);

/// Throws Error for a table that cannot be written: columns of different lengths, headers that are empty or equal.
void check_writable(const Table& table);

}  // namespace stickslip::inline files
