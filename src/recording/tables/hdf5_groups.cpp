/// Names in a group: symbol tables (a tree of nodes whose names lie in a heap) and links kept in the object header; see
/// hdf5_file.hpp.
#include <set>

#include "recording/tables/hdf5_file.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::string_view tree_words = "its list of names", heap_words = "the heap of its names";
constexpr std::size_t most_names = 100'000;  // MATLAB lists variables; no file needs more
constexpr std::size_t longest_name = 1000;

std::string name_at(std::string_view heap, std::uint64_t offset) {
  if (offset >= heap.size()) throw Error("is damaged: a name lies outside of the heap of names");
  const std::string_view rest = heap.substr(std::size_t(offset), longest_name + 1);
  const std::size_t length = rest.find('\0');
  if (length == std::string_view::npos) throw Error("is damaged: a name has no end");
  return std::string(rest.substr(0, length));
}

class SymbolTable {
 public:
  SymbolTable(Hdf5File& file, std::string_view message, std::vector<Hdf5Link>& links) : file_(file), links_(links) {
    ByteCursor cursor(message, tree_words);
    const std::uint64_t tree = file.address(cursor), heap = file.address(cursor);
    ByteCursor head(file.from(heap, heap_words), heap_words);
    head.expect("HEAP");
    head.skip(4);
    const std::uint64_t size = file.length(head);
    file.length(head);  // where free space begins
    heap_ = file.block(file.address(head), size, heap_words);
    walk(tree, -1);
  }

 private:
  /// `level` is that of the node above less one; -1: any.
  void walk(std::uint64_t address, int level) {
    if (!visited_.insert(address).second) throw Error("is damaged: its list of names is circular");
    ByteCursor head(file_.from(address, tree_words), tree_words);
    head.expect("TREE");
    const std::uint64_t kind = head.number(1);
    const int here = int(head.number(1));
    const std::uint64_t count = head.number(2);
    if (kind != 0 || (level >= 0 && here != level)) throw Error("is damaged: its list of names has a wrong node");
    const std::size_t before = head.place() + 2 * file_.address_size();
    const std::uint64_t size = before + count * (file_.length_size() + file_.address_size());
    ByteCursor cursor(file_.block(address, size, tree_words), tree_words);
    cursor.skip(before);
    for (std::uint64_t i = 0; i < count; ++i) {
      file_.length(cursor);  // the key: a name below which the child's names lie
      const std::uint64_t child = file_.address(cursor);
      if (here == 0)
        add_names(child);
      else
        walk(child, here - 1);
    }
  }

  void add_names(std::uint64_t address) {
    if (!visited_.insert(address).second) throw Error("is damaged: its list of names is circular");
    ByteCursor head(file_.from(address, tree_words), tree_words);
    head.expect("SNOD");
    head.skip(2);
    const std::uint64_t count = head.number(2);
    const std::uint64_t size = head.place() + count * (2 * file_.address_size() + 24);
    ByteCursor cursor(file_.block(address, size, tree_words), tree_words);
    cursor.skip(head.place());
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t offset = file_.address(cursor), object = file_.address(cursor), cached = cursor.number(4);
      cursor.skip(20);
      if (links_.size() >= most_names) throw Error("has more than 100000 names, which is not read");
      links_.push_back({name_at(heap_, offset), cached != 2, object});  // 2: a path instead of an object
    }
  }

  Hdf5File& file_;
  std::vector<Hdf5Link>& links_;
  std::string_view heap_;
  std::set<std::uint64_t> visited_;
};

Hdf5Link link_of(const Hdf5File& file, std::string_view message) {
  ByteCursor cursor(message, "a link");
  if (cursor.number(1) != 1) throw Error("is damaged: a link is not readable");
  const std::uint64_t flags = cursor.number(1);
  const std::uint64_t kind = flags & 8 ? cursor.number(1) : 0;
  if (flags & 4) cursor.skip(8);   // order of creation
  if (flags & 16) cursor.skip(1);  // character set
  Hdf5Link link;
  link.name = std::string(cursor.take(cursor.number(std::size_t(1) << (flags & 3))));
  if (link.name.size() > longest_name) throw Error("is damaged: a name has no end");
  link.is_hard = kind == 0;
  if (link.is_hard) link.address = file.address(cursor);
  return link;
}

}  // namespace

std::vector<Hdf5Link> hdf5_links(Hdf5File& file, const Hdf5Object& group) {
  std::vector<Hdf5Link> links;
  if (group.has(Hdf5Message::symbol_table))
    SymbolTable(file, group.message(Hdf5Message::symbol_table, tree_words), links);
  for (const Hdf5Object::Entry& entry : group.entries) {
    if (entry.kind == Hdf5Message::link) links.push_back(link_of(file, entry.bytes));
    if (entry.kind != Hdf5Message::link_info) continue;
    ByteCursor info(entry.bytes, tree_words);
    info.skip(1);
    if (info.number(1) & 1) info.skip(8);
    if (file.is_defined(file.address(info)))
      throw Error("keeps its names in a fractal heap, which is not supported; save it with -v7 or as CSV");
  }
  return links;
}

}  // namespace stickslip::inline recordings
