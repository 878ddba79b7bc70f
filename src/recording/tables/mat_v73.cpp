/// MATLAB .mat files of version 7.3; see mat_v73.hpp.
/// Each variable is a dataset (its attribute MATLAB_class says of which class) or a group (a struct, its fields inside).
/// HDF5 lists the slowest dimension first, MATLAB stores columns: a dataset of c × r values in the file's order is a
/// matrix of r rows and c columns, column after column.
/// Not read: complex, character, cell, sparse and object arrays, tables, strings, dates and function handles (left out,
/// with a note). What MATLAB keeps for them in #refs# and #subsystem# is passed over.
#include "recording/tables/mat_v73.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>

#include "core/text.hpp"
#include "recording/tables/hdf5_values.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr int deepest_group = 8;               // structs within structs
constexpr std::string_view hidden_mark = "#";  // "#refs#", "#subsystem#"
constexpr std::size_t most_objects = 100'000;

struct Marks {
  std::string matlab_class;  // "" without one
  bool is_empty = false, is_sparse = false;
};

Marks marks_of(const Hdf5File& file, const Hdf5Object& object) {
  Marks marks;
  for (const Hdf5Attribute& attribute : hdf5_attributes(file, object)) {
    if (attribute.name == "MATLAB_class") marks.matlab_class = attribute.text;
    if (attribute.name == "MATLAB_empty") marks.is_empty = true;
    if (attribute.name == "MATLAB_sparse") marks.is_sparse = true;
  }
  return marks;
}

/// What `read` returns; what it complains about becomes a line with the file and the variable.
template <class Read>
std::invoke_result_t<Read> with_name(const std::string& path, const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const Error& problem) {
    refuse_file(path,
                (name.empty() ? "MATLAB file of version 7.3" : in_quotes(one_line(name, 40))) + " " + problem.what());
  }
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path)
      : path_(path), file_(with_name(path, "", [&] { return Hdf5File(bytes); })) {
    const Hdf5Object root = with_name(path, "", [&] { return hdf5_object(file_, file_.root()); });
    if (!root.is_group()) refuse_file(path_, "is damaged: it has no list of variables");
    groups_.insert(file_.root());
    read_group(root, "", 0);
  }

  MatArrays found;

 private:
  template <class Read>
  std::invoke_result_t<Read> named(const std::string& name, const Read& read) const {
    return with_name(path_, name, read);
  }

  void read_group(const Hdf5Object& group, const std::string& prefix, int depth) {
    const std::string group_name = prefix.substr(0, prefix.size() - std::min<std::size_t>(1, prefix.size()));
    for (const Hdf5Link& link : named(group_name, [&] { return hdf5_links(file_, group); })) {
      if (link.name.starts_with(hidden_mark)) continue;
      const std::string name = prefix + link.name;
      if (++objects_ > most_objects) refuse_file(path_, "has more than 100000 variables, which is not read");
      if (!link.is_hard) {
        leave_out(name, "a link");
        continue;
      }
      const Hdf5Object object = named(name, [&] { return hdf5_object(file_, link.address); });
      const Marks marks = named(name, [&] { return marks_of(file_, object); });
      if (object.has(Hdf5Message::layout)) {
        read_dataset(object, name, marks);
      } else if (!object.is_group()) {
        leave_out(name, "no array");
      } else if (marks.is_sparse || (!marks.matlab_class.empty() && marks.matlab_class != "struct")) {
        leave_out(name, marks.is_sparse ? "sparse" : marks.matlab_class);
      } else if (depth >= deepest_group || !groups_.insert(link.address).second) {
        leave_out(name, depth >= deepest_group ? "nested too deeply" : "a link");
      } else {
        read_group(object, name + ".", depth + 1);
      }
    }
  }

  void read_dataset(const Hdf5Object& dataset, const std::string& name, const Marks& marks) {
    using Kind = Hdf5Datatype::Kind;
    static constexpr std::string_view numeric[] = {"",       "double", "single", "int8",  "uint8",  "int16",
                                                   "uint16", "int32",  "uint32", "int64", "uint64", "logical"};
    if (std::find(std::begin(numeric), std::end(numeric), marks.matlab_class) == std::end(numeric))
      return leave_out(name, marks.matlab_class);
    if (marks.is_empty || marks.is_sparse) return leave_out(name, marks.is_sparse ? "sparse" : "empty");
    const Hdf5Datatype type =
        named(name, [&] { return hdf5_datatype(dataset.message(Hdf5Message::datatype, "its number type")); });
    if (type.kind != Kind::integer && type.kind != Kind::real)
      return leave_out(name, type.kind == Kind::compound    ? "complex"
                             : type.kind == Kind::reference ? "struct array"
                                                            : "not numeric");
    if (!type.is_plain)
      refuse_file(path_, in_quotes(one_line(name, 40)) + " has numbers of " + std::to_string(type.size) +
                             " bytes in an unsupported form; save it with -v7 or as CSV");
    const auto sizes =
        named(name, [&] { return hdf5_dimensions(file_, dataset.message(Hdf5Message::dataspace, "its size")); });
    if (!sizes || std::find(sizes->begin(), sizes->end(), 0u) != sizes->end()) return leave_out(name, "empty");
    if (sizes->size() > 2) return leave_out(name, std::to_string(sizes->size()) + " dimensions");
    const std::uint64_t columns = sizes->size() == 2 ? sizes->front() : 1, rows = sizes->empty() ? 1 : sizes->back();
    Hdf5Values read = named(name, [&] { return hdf5_values(file_, dataset, type, columns, rows); });
    if (read.not_stored > 0)
      found.notes.push_back({"not_stored", 0, 0,
                             in_quotes(one_line(name, 40)) + " has " + std::to_string(read.not_stored) +
                                 " values that were never written; the file says " + shortest(read.fill) +
                                 " for them"});
    found.arrays.push_back({name, std::move(read.values), std::size_t(columns)});
  }

  void leave_out(const std::string& name, const std::string& why) {
    found.left_out.push_back(one_line(name, 40) + " (" + one_line(why, 40) + ")");
  }

  std::string path_;
  Hdf5File file_;
  std::set<std::uint64_t> groups_;  // seen before: a link may lead back
  std::size_t objects_ = 0;
};

}  // namespace

MatArrays mat_v73_arrays(std::string_view bytes, const std::string& path) {
  return std::move(Reader(bytes, path).found);
}

}  // namespace stickslip::inline recordings
