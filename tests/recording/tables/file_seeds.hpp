/// Small valid files of every format that is read as a recording: what damage and fuzzing begin with.
#pragma once
#include <string>
#include <vector>

#include "recording/tables/binary_writers.hpp"
#include "recording/tables/kept_hdf5_files.hpp"
#include "recording/tables/mat_v73_writer.hpp"

namespace stickslip::made {

inline std::vector<double> made_numbers(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(step * double(i * i % 37) + double(i) * 1e-3);
  return values;
}
inline std::vector<double> made_times(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(0.5 * double(i));
  return values;
}

inline std::vector<std::string> mat_v5_seeds() {
  const std::string time = matrix("time_s", 40, 1, 9, bytes_of_values(made_times(40)));
  const std::string force = matrix("force_N", 40, 1, 9, bytes_of_values(made_numbers(40, 0.5)));
  std::string names = "when";
  names.resize(8), names += "torque", names.resize(16);
  const std::string log =
      element(14, array_head(2, 1, 1, "log") + element(5, u32(8)) + element(1, names) + opaque("", "datetime") +
                      matrix("", 4, 10, 9, bytes_of_values(made_numbers(40, 2))));
  return {mat_header() + time + force, mat_header() + compressed(time) + compressed(force),
          mat_header() + time + compressed(force) + log + opaque("t", "table") + matrix("gain", 1, 1, 3, "\x01\x02") +
              matrix("wide", 2, 40, 3, bytes_of_values(std::vector<std::int16_t>(80, 7)))};
}

inline std::vector<std::string> mat_v73_seeds() {
  MatV73Writer plain, packed, nested;
  plain.add("time_s", made_times(40)), plain.add("force_N", made_numbers(40, 0.5));
  packed.add("time_s", made_times(200), 1, "double", {.layout = Layout::chunked, .along = 64, .filters = {1}});
  packed.add("force_N", made_numbers(200, 0.5), 1, "single",
             {.size = 4, .layout = Layout::chunked, .along = 70, .filters = {2, 1, 3}});
  packed.add("x", made_numbers(400, 0.25), 2, "double",
             {.layout = Layout::chunked, .across = 2, .along = 2, .filters = {1}});
  nested.add("time_s", made_times(40), 1, "double", {.layout = Layout::compact});
  nested.add_struct("log");
  nested.add("log/force_N", made_numbers(40, 0.5), 1, "double", {.big_endian = true});
  nested.add("log/counts", made_numbers(80, 3), 40, "int16",
             {.kind = 'i', .size = 2, .layout = Layout::chunked, .across = 7, .along = 2, .holes = {1}});
  nested.add("t", {1, 2, 3, 4, 5, 6}, 6, "table", {.kind = 'u', .size = 4});
  nested.link("same", "log/force_N");
  return {plain.bytes(), packed.bytes(), nested.bytes(), oldest_hdf5_file(), newest_hdf5_file()};
}

inline std::vector<std::string> npz_seeds() {
  const std::string head = "{'descr': '<i2', 'fortran_order': False, 'shape': (40, 2), }";
  const ZipPart pair = npy_part("pair", head, bytes_of_values(std::vector<std::int16_t>(80, 7)));
  return {zip({npy_vector("time_s", made_times(40)), npy_vector("force_N", made_numbers(40, 0.5)), pair}),
          zip({npy_vector("time_s", made_times(40), false), npy_vector("force_N", made_numbers(40, 0.5), false)})};
}

inline std::vector<std::string> text_seeds() {
  std::string comma = "# a log\ntime_s,position_mm,force_N,phase\n", semicolon = "Zeit [s];Kraft [kN]\n",
              blanks = "t x F\ns mm N\n";
  for (int i = 0; i < 30; ++i) {
    const std::string t = std::to_string(0.5 * i), f = std::to_string(i * i % 37);
    comma += t + "," + f + "e-3," + f + ".25,\"forth, slow\"\n";
    semicolon += std::to_string(i / 2) + (i % 2 ? ",5" : ",0") + ";-" + f + ",125\r\n";
    blanks += t + "  -" + f + (i % 3 == 0 ? "\tNaN\n" : "\t" + f + "\n");
  }
  return {comma, semicolon, blanks};
}

}  // namespace stickslip::made
