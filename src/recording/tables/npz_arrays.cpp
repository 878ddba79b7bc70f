/// NumPy's .npz: a zip archive of .npy arrays, stored or deflated (numpy.savez and savez_compressed), little-endian
/// floats and integers of any width, versions 1 to 3 of the header. A vector is a column, a matrix is name_1, name_2 ...,
/// a single number a constant. Not read: text, complex, structured and pickled arrays (left out with a note).
#include "recording/tables/npz_arrays.hpp"

#include <charconv>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "recording/tables/zip_archive.hpp"

namespace stickslip::inline recordings {
namespace {

struct NpyHeader {
  std::string type;  // "<f8"
  bool by_column = false;
  std::vector<std::size_t> shape;
  std::size_t data = 0;
};

class NpzReader {
 public:
  NpzReader(const std::string& file, std::string_view bytes)
      : archive_(bytes, file, "an .npz archive", "use numpy.savez") {
    for (const ZipPart& part : archive_.parts()) {
      if (part.name.ends_with(".npy"))
        array(part.name.substr(0, part.name.size() - 4), archive_.content(part));
      else
        left_out.push_back(one_line(part.name, 40));
    }
  }
  std::vector<NamedArray> arrays;
  std::vector<std::string> left_out;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const { archive_.refuse(name, what); }

  NpyHeader header_of(std::string_view bytes, const std::string& name) const {
    if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) refuse(name, "is not an .npy array");
    const bool version_1 = bytes[6] == 1;
    const std::size_t start = version_1 ? 10 : 12;
    const std::size_t length = version_1 ? number_at<std::uint16_t>(bytes, 8) : number_at<std::uint32_t>(bytes, 8);
    if (bytes.size() - start < length) refuse(name, "ends inside its header");
    const std::string_view text = bytes.substr(start, length);
    NpyHeader header;
    header.data = start + length;
    const auto after = [&](std::string_view key) {
      const auto at = text.find(key);
      return at == std::string_view::npos ? std::string_view() : trimmed(text.substr(at + key.size()));
    };
    const std::string_view type = after("'descr':");
    if (type.starts_with('\'')) header.type = type.substr(1, type.substr(1).find('\''));
    header.by_column = after("'fortran_order':").starts_with("True");
    std::string_view shape = after("'shape':");
    if (!shape.starts_with('(')) refuse(name, "has no shape");
    shape.remove_prefix(1);
    while (!shape.empty() && shape.front() != ')') {
      std::size_t n = 0;
      const auto [stop, problem] = std::from_chars(shape.data(), shape.data() + shape.size(), n);
      if (problem != std::errc()) refuse(name, "has a damaged shape");
      header.shape.push_back(n);
      shape.remove_prefix(std::size_t(stop - shape.data()));
      while (!shape.empty() && (shape.front() == ',' || shape.front() == ' ')) shape.remove_prefix(1);
    }
    return header;
  }

  void array(const std::string& name, const std::string& bytes) {
    const NpyHeader header = header_of(bytes, name);
    std::size_t count = 1;
    for (const std::size_t n : header.shape) {
      if (n != 0 && count > bytes.size() / n) refuse(name, "has fewer numbers than its shape says");
      count *= n;
    }
    std::vector<double> values;
    const std::string_view data = std::string_view(bytes).substr(header.data);
    const auto fill = [&]<class Number>(Number) {
      if (data.size() != count * sizeof(Number))
        refuse(name,
               "has " + std::to_string(data.size()) + " bytes where " + std::to_string(count) + " numbers belong");
      if (!archive_.expansion().take(count * sizeof(double))) refuse(name, Expansion::refusal());
      values.resize(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = double(number_at<Number>(data, i * sizeof(Number)));
      return true;
    };
    const std::string& type = header.type;
    const bool known = type == "<f8"                    ? fill(double{})
                       : type == "<f4"                  ? fill(float{})
                       : type == "<i8"                  ? fill(std::int64_t{})
                       : type == "<i4"                  ? fill(std::int32_t{})
                       : type == "<i2"                  ? fill(std::int16_t{})
                       : type == "|i1"                  ? fill(std::int8_t{})
                       : type == "<u8"                  ? fill(std::uint64_t{})
                       : type == "<u4"                  ? fill(std::uint32_t{})
                       : type == "<u2"                  ? fill(std::uint16_t{})
                       : type == "|u1" || type == "|b1" ? fill(std::uint8_t{})
                                                        : false;
    if (!known || header.shape.size() > 2) return left_out.push_back(one_line(name, 40));
    if (count == 0) return left_out.push_back(one_line(name, 40) + " (empty)");
    const std::size_t columns = header.shape.size() < 2 ? 1 : header.shape[1], rows = count / columns;
    if (columns > 1 && rows > 1 && !header.by_column) {
      std::vector<double> by_column(count);
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows; ++i) by_column[j * rows + i] = values[i * columns + j];
      values = std::move(by_column);
    }
    arrays.push_back({name, std::move(values), columns});
  }

  ZipArchive archive_;
};

}  // namespace

NpzArrays npz_arrays(std::string_view bytes, const std::string& name) {
  NpzReader reader(name, bytes);
  return {std::move(reader.arrays), std::move(reader.left_out)};
}

RawTable read_npz(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  NpzArrays found = npz_arrays(bytes, name);
  RawTable table = table_of_arrays(std::move(found.arrays), std::move(found.left_out), options, name);
  table.fingerprint = fingerprint_of(bytes);
  return table;
}

}  // namespace stickslip::inline recordings
