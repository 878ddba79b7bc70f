#include "machines/friction/model_kernel.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline machines {

std::unique_ptr<ModelKernel> make_kernel(std::string_view model, const KernelSettings& settings) {
  std::vector<std::string> names;
  for (const auto& [name, make] : model_kernels()) {
    if (name == model) return make(settings);
    names.emplace_back(name);
  }
  throw Error(no_such("friction model", model, names));
}

}  // namespace stickslip::inline machines
