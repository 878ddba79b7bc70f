/// XML as a row of tags and texts, as far as spreadsheets need it: elements, attributes, the five named entities and
/// character numbers. Names lose their prefix. Comments and processing instructions are passed over. A document type (and
/// with it entities of its own) and CDATA are not read: they are damage here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stickslip::inline recordings {

class XmlScan {
 public:
  enum class Token { open, close, text, end, damaged };

  explicit XmlScan(std::string_view text) : text_(text) {}

  /// The next tag or text. An element without content, <v/>, is an open tag followed by a close tag.
  Token next();
  /// Of the tag: its name without prefix.
  std::string_view name() const { return name_; }
  /// Of an open tag, by its name without prefix; entities replaced. Nothing if it has none.
  std::optional<std::string> attribute(std::string_view name) const;
  /// Of a text: as it stands, entities replaced. Nothing if an entity is not known.
  std::optional<std::string> text() const { return plain(content_); }

 private:
  static std::optional<std::string> plain(std::string_view text);

  std::string_view text_, name_, attributes_, content_;
  std::size_t at_ = 0;
  bool closes_ = false;  // the tag before had no content
};

}  // namespace stickslip::inline recordings
