/// Writes MATLAB files of version 7.3 byte by byte after the HDF5 File Format Specification, the way MATLAB does: 512 bytes
/// of MATLAB's own, superblock 0, object headers 1, symbol tables, MATLAB_class on every variable. Kept as simple as the
/// format allows: a group has one node of names, a chunked dataset a tree of one or two levels.
#pragma once
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::made {

enum class Layout { contiguous, compact, chunked };

struct Storage {
  char kind = 'f';  // f: IEEE 754, i: signed, u: unsigned
  std::size_t size = 8;
  bool big_endian = false;
  Layout layout = Layout::contiguous;
  std::size_t across = 1, along = 100;  // of a chunk: columns and rows
  std::vector<int> filters = {};        // 1 deflate, 2 shuffle, 3 fletcher32, in the order in which they are applied
  std::vector<std::size_t> holes = {};  // chunks that are not written
  double fill = 0;
};

class MatV73Writer {
 public:
  /// A matrix of `columns` columns, one after the other in `values`. "log/force_N" is a field of the struct `log`.
  void add(const std::string& name, const std::vector<double>& values, std::size_t columns = 1,
           const std::string& matlab_class = "double", const Storage& storage = {}) {
    Node& node = node_at(name);
    node.is_group = false;
    node.matlab_class = matlab_class;
    node.values = values, node.columns = columns, node.storage = storage;
  }
  void add_struct(const std::string& name, const std::string& matlab_class = "struct") {
    node_at(name).matlab_class = matlab_class;
  }
  /// Another attribute of a variable: MATLAB_empty, MATLAB_sparse.
  void mark(const std::string& name, const std::string& attribute) { node_at(name).marks.push_back(attribute); }
  /// A second name for a variable, of which bytes are not written again.
  void link(const std::string& name, const std::string& to) { node_at(name).same_as = to; }

  std::string bytes() {
    out_.assign(512 + 96, '\0');
    written_.clear();
    const std::uint64_t root = write(root_, "");
    std::string head = "MATLAB 7.3 MAT-file, Platform: GLNXA64";
    head.resize(124, ' ');
    head += std::string("\x00\x02IM", 4);
    out_.replace(0, head.size(), head);
    std::string block = std::string("\x89HDF\r\n\x1a\n", 8) + number(0, 5) + number(8, 1) + number(8, 1) +
                        number(0, 1) + number(leaf_k, 2) + number(16, 2) + number(0, 4) + number(512, 8) + none() +
                        number(out_.size(), 8) + none() + number(0, 8) + number(root, 8) + number(0, 24);
    out_.replace(512, block.size(), block);
    return out_;
  }

  /// Least significant byte first.
  static std::string number(std::uint64_t value, std::size_t width) {
    std::string bytes;
    for (std::size_t i = 0; i < width; ++i) bytes += char(i < 8 ? value >> (8 * i) & 255 : 0);
    return bytes;
  }

 private:
  static constexpr std::size_t leaf_k = 64, chunks_per_node = 64;
  struct Node {
    bool is_group = true;
    std::string matlab_class, same_as;
    std::vector<std::string> marks;
    std::map<std::string, Node> members;  // in the order that the tree of names wants
    std::vector<double> values;
    std::size_t columns = 1;
    Storage storage;
  };

  static std::string none() { return std::string(8, '\xff'); }
  static std::string padded(std::string bytes) {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    return bytes;
  }
  std::uint64_t append(const std::string& bytes) {
    out_ = padded(std::move(out_));
    const std::uint64_t address = out_.size() - 512;
    out_ += bytes;
    return address;
  }
  Node& node_at(const std::string& name) {
    Node* node = &root_;
    std::size_t at = 0;
    while (true) {
      const std::size_t slash = name.find('/', at);
      node = &node->members[name.substr(at, slash - at)];
      if (slash == std::string::npos) return *node;
      at = slash + 1;
    }
  }

  static std::string message(unsigned type, const std::string& bytes) {
    const std::string data = padded(bytes);
    return number(type, 2) + number(data.size(), 2) + number(0, 4) + data;
  }
  static std::string text_attribute(const std::string& name, const std::string& text) {
    const std::string type = number(0x13, 1) + number(0, 3) + number(text.size(), 4);
    const std::string space = number(1, 1) + number(0, 7);
    return message(12, number(1, 2) + number(name.size() + 1, 2) + number(type.size(), 2) + number(space.size(), 2) +
                           padded(name + '\0') + padded(type) + padded(space) + text);
  }
  std::uint64_t header(const std::vector<std::string>& messages) {
    std::string all;
    for (const std::string& one : messages) all += one;
    return append(number(1, 2) + number(messages.size(), 2) + number(1, 4) + number(all.size(), 4) + number(0, 4) +
                  all);
  }

  std::uint64_t write(const Node& node, const std::string& path) {
    std::vector<std::string> messages = node.is_group ? group(node, path) : dataset(node);
    if (!node.matlab_class.empty()) messages.push_back(text_attribute("MATLAB_class", node.matlab_class));
    for (const std::string& mark : node.marks) messages.push_back(text_attribute(mark, "1"));
    return written_[path] = header(messages);
  }

  std::vector<std::string> group(const Node& node, const std::string& path) {
    std::string heap(8, '\0'), names;
    std::uint64_t last = 0;
    for (const auto& [name, member] : node.members) {
      last = heap.size();
      heap += padded(name + '\0');
      const std::uint64_t object =
          member.same_as.empty() ? write(member, path.empty() ? name : path + "/" + name) : written_.at(member.same_as);
      names += number(last, 8) + number(object, 8) + number(0, 24);
    }
    std::string node_of_names = "SNOD" + number(1, 2) + number(node.members.size(), 2) + names;
    node_of_names.resize(8 + 2 * leaf_k * 40);
    const std::uint64_t leaf = append(node_of_names);
    std::string tree =
        "TREE" + number(0, 2) + number(1, 2) + none() + none() + number(0, 8) + number(leaf, 8) + number(last, 8);
    tree.resize(24 + 32 * 8 + 33 * 8);
    const std::uint64_t tree_at = append(tree), data = append(heap);
    // No free space in the heap is written as 1.
    const std::uint64_t heap_at =
        append("HEAP" + number(0, 4) + number(heap.size(), 8) + number(1, 8) + number(data, 8));
    return {message(17, number(tree_at, 8) + number(heap_at, 8))};
  }

  static std::string encoded(double value, const Storage& s) {
    std::string bytes;
    if (s.kind == 'f')
      bytes = s.size == 8 ? number(std::bit_cast<std::uint64_t>(value), 8)
                          : number(std::bit_cast<std::uint32_t>(float(value)), 4);
    else
      bytes = number(std::uint64_t(std::int64_t(value)), s.size);
    if (s.big_endian) std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }
  static std::string type_of(const Storage& s) {
    if (s.kind == 'f')
      return number(0x11, 1) + number(0x20 + s.big_endian, 1) + number(8 * s.size - 1, 1) + number(0, 1) +
             number(s.size, 4) + number(0, 2) + number(8 * s.size, 2) +
             (s.size == 8 ? number(52, 1) + number(11, 1) + number(0, 1) + number(52, 1) + number(1023, 4)
                          : number(23, 1) + number(8, 1) + number(0, 1) + number(23, 1) + number(127, 4));
    return number(0x10, 1) + number(unsigned(s.big_endian) + (s.kind == 'i' ? 8 : 0), 3) + number(s.size, 4) +
           number(0, 2) + number(8 * s.size, 2);
  }

  std::vector<std::string> dataset(const Node& node) {
    const Storage& s = node.storage;
    const std::size_t rows = node.values.size() / node.columns;
    std::string all;
    for (const double value : node.values) all += encoded(value, s);
    std::vector<std::string> messages{
        message(1, number(1, 1) + number(2, 1) + number(0, 6) + number(node.columns, 8) + number(rows, 8)),
        message(3, type_of(s)),
        message(5, number(2, 1) + number(2, 1) + number(0, 1) + number(1, 1) + number(s.size, 4) + encoded(s.fill, s))};
    if (s.layout == Layout::compact) {
      messages.push_back(message(8, number(3, 1) + number(0, 1) + number(all.size(), 2) + all));
    } else if (s.layout == Layout::contiguous) {
      const std::uint64_t place = append(all);
      messages.push_back(message(8, number(3, 1) + number(1, 1) + number(place, 8) + number(all.size(), 8)));
    } else {
      messages.push_back(message(8, number(3, 1) + number(2, 1) + number(3, 1) + number(chunks(node, rows), 8) +
                                        number(s.across, 4) + number(s.along, 4) + number(s.size, 4)));
      std::string filters = number(1, 1) + number(s.filters.size(), 1) + number(0, 6);
      for (const int filter : s.filters)
        filters += number(std::uint64_t(filter), 2) + number(0, 2) + number(0, 2) +
                   (filter == 3 ? number(0, 2) : number(1, 2) + number(filter == 2 ? s.size : 6, 4) + number(0, 4));
      if (!s.filters.empty()) messages.push_back(message(11, filters));
    }
    return messages;
  }

  static std::string filtered(std::string bytes, const Storage& s) {
    for (const int filter : s.filters) {
      std::string out;
      if (filter == 1) {
        uLongf size = compressBound(bytes.size());
        out.resize(size);
        compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size());
        out.resize(size);
      } else if (filter == 2) {
        for (std::size_t b = 0; b < s.size; ++b)
          for (std::size_t i = b; i < bytes.size(); i += s.size) out += bytes[i];
      } else {
        std::uint64_t sum = 0, of_sums = 0;
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
          const auto high = static_cast<unsigned char>(bytes[i]);
          const auto low = i + 1 < bytes.size() ? static_cast<unsigned char>(bytes[i + 1]) : 0u;
          sum = (sum + 256u * high + low) % 65535, of_sums = (of_sums + sum) % 65535;
        }
        out = bytes + number(of_sums << 16 | sum, 4);
      }
      bytes = out;
    }
    return bytes;
  }

  std::uint64_t chunks(const Node& node, std::size_t rows) {
    const Storage& s = node.storage;
    struct Entry {
      std::string key;
      std::uint64_t child;
    };
    std::vector<Entry> level;
    std::size_t index = 0;
    const auto key = [](std::size_t size, std::size_t column, std::size_t row) {
      return number(size, 4) + number(0, 4) + number(column, 8) + number(row, 8) + number(0, 8);
    };
    for (std::size_t c = 0; c < node.columns; c += s.across)
      for (std::size_t r = 0; r < rows; r += s.along, ++index) {
        if (std::find(s.holes.begin(), s.holes.end(), index) != s.holes.end()) continue;
        std::string raw;
        for (std::size_t i = c; i < c + s.across; ++i)
          for (std::size_t k = r; k < r + s.along; ++k)
            raw += encoded(i < node.columns && k < rows ? node.values[i * rows + k] : 0, s);
        const std::string packed = filtered(raw, s);
        level.push_back({key(packed.size(), c, r), append(packed)});
      }
    const std::string end = key(0, node.columns + s.across, 0);
    for (std::size_t height = 0;; ++height) {
      std::vector<Entry> above;
      for (std::size_t from = 0; from < level.size() || from == 0; from += chunks_per_node) {
        const std::size_t to = std::min(level.size(), from + chunks_per_node);
        std::string tree = "TREE" + number(1, 1) + number(height, 1) + number(to - from, 2) + none() + none();
        for (std::size_t i = from; i < to; ++i) tree += level[i].key + number(level[i].child, 8);
        tree += to < level.size() ? level[to].key : end;
        tree.resize(24 + chunks_per_node * 8 + (chunks_per_node + 1) * 32);
        above.push_back({from < level.size() ? level[from].key : end, append(tree)});
      }
      if (above.size() == 1) return above.front().child;
      level = std::move(above);
    }
  }

  Node root_;
  std::string out_;
  std::map<std::string, std::uint64_t> written_;
};

}  // namespace stickslip::made
